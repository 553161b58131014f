//! The joints with their names, the coordinates to type in a hint, and rulers in the coordinates of the mesh file.

use super::Image;
use super::lettering::{ADVANCE, HEIGHT, width, write};
use super::stages::{Board, PAPER, bones};
use crate::embed::Embedding;
use crate::math::{Bounds, Similarity, Vec3, log10, powi, typed};
use crate::mesh::prepare::PreparedMesh;
use crate::skeleton::Skeleton;

const INK: [u8; 3] = [38, 50, 66];
const PALE: [u8; 3] = [150, 160, 172];
/// From a line of text to the next, in pixels.
const LINE: usize = HEIGHT + 8;
/// Room between the front view and the names, for the lines between them.
const LEADERS: usize = 28;
/// Room for a ruler with its numbers.
const BESIDE: usize = 7 * ADVANCE;
const BELOW: usize = HEIGHT + 14;
/// Length of a mark.
const MARK: usize = 6;
/// Marks that a ruler has at least.
const MARKS: f64 = 5.0;

/// The front with names and rulers, and the side with a ruler.
pub(super) fn joint_sheet(mesh: &PreparedMesh, embedding: &Embedding, board: &Board) -> Image {
    let Embedding { skeleton, positions, confidences, .. } = embedding;
    let [front, side] = board.draw_views(&bones(skeleton, positions, confidences));
    let input_from_unit = mesh.unit_from_input.inverse();
    let callouts = Callout::all(embedding, &input_from_unit, board);
    let texts = callouts.iter().map(|callout| width(&callout.text)).max().unwrap_or(0);
    let side_left = BESIDE + front.width + LEADERS + texts + ADVANCE;
    let height = front.height.max(callouts.len() * LINE);
    let mut sheet = Image::filled(side_left + side.width, height + BELOW, opaque(PAPER));
    sheet.lay_over(&front, BESIDE, 0);
    sheet.lay_over(&side, side_left, 0);
    let names_left = BESIDE + front.width + LEADERS;
    for (callout, top) in callouts.iter().zip(rows(&callouts, height)) {
        let [column, row] = callout.joint.map(|x| x.round() as usize);
        line(&mut sheet, [BESIDE + column, row], [names_left - MARK, top + HEIGHT / 2]);
        write(&mut sheet, &callout.text, [names_left, top], INK);
    }
    let bounds = Bounds::of(&mesh.used_positions());
    for (view, left, direction) in [(0, BESIDE, Vec3::y()), (0, BESIDE, Vec3::x()), (1, side_left, Vec3::z())]
    {
        let Some(ruler) = Ruler::along(&direction, &bounds, &input_from_unit) else { continue };
        // A narrow body has room for few numbers; the last, which tells the axis, is one of them.
        let mut taken: Vec<[usize; 2]> = Vec::new();
        for (point, number) in ruler.marks().into_iter().rev() {
            let [column, row] = board.pixel(view, &point).map(|x| x.round().max(0.0) as usize);
            if direction.y == 0.0 {
                line(&mut sheet, [left + column, height - MARK], [left + column, height]);
                let start = (left + column).saturating_sub(width(&number) / 2);
                let end = start + width(&number) + ADVANCE;
                if taken.iter().all(|[from, to]| end <= *from || start >= *to) {
                    write(&mut sheet, &number, [start, height + 4], PALE);
                    taken.push([start, end]);
                }
            } else {
                line(&mut sheet, [BESIDE, row], [BESIDE + MARK, row]);
                let start = BESIDE.saturating_sub(width(&number) + MARK);
                write(&mut sheet, &number, [start, row.saturating_sub(HEIGHT / 2)], PALE);
            }
        }
    }
    sheet
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// A joint in the front view, and what is said about it.
struct Callout {
    /// Column and row.
    joint: [f64; 2],
    text: String,
}

impl Callout {
    /// From top to bottom. Of a symmetric pair the left one: a hint for it counts for both.
    fn all(embedding: &Embedding, input_from_unit: &Similarity, board: &Board) -> Vec<Callout> {
        let Embedding { skeleton, positions, .. } = embedding;
        let placed: Vec<Vec3> =
            positions.iter().map(|p| input_from_unit.transform_point(&(*p).into()).coords).collect();
        let size = Bounds::of(&placed).diagonal();
        let shown = (0..placed.len()).filter(|&joint| is_named(skeleton, joint, embedding.symmetric));
        let mut callouts: Vec<Callout> = shown
            .map(|joint| {
                let [x, y, z] = typed(&placed[joint], size);
                let text = format!("{}={x},{y},{z}", skeleton.joints[joint].name);
                Callout { joint: board.pixel(0, &positions[joint]), text }
            })
            .collect();
        callouts.sort_by(|a, b| a.joint[1].total_cmp(&b.joint[1]));
        callouts
    }
}

fn is_named(skeleton: &Skeleton, joint: usize, symmetric: bool) -> bool {
    let is_mirror_image = skeleton.joints[joint].partner.is_some_and(|partner| partner < joint);
    !(skeleton.joints[joint].is_tip || symmetric && is_mirror_image)
}

/// The upper edge of each text: beside its joint, or as near as the others allow.
fn rows(callouts: &[Callout], height: usize) -> Vec<usize> {
    let mut tops: Vec<usize> = Vec::new();
    for callout in callouts {
        let wanted = (callout.joint[1].max(0.0) as usize).saturating_sub(HEIGHT / 2);
        tops.push(tops.last().map_or(wanted, |last| wanted.max(last + LINE)));
    }
    let mut lowest = height.saturating_sub(HEIGHT);
    for top in tops.iter_mut().rev() {
        *top = (*top).min(lowest);
        lowest = top.saturating_sub(LINE);
    }
    tops
}

/// Numbers along an axis of the file.
struct Ruler {
    axis: usize,
    /// The box of the character in the unit cube, at the lower end of the ruler; and from there to the other end.
    start: Vec3,
    along: Vec3,
    /// Values at both ends.
    values: [f64; 2],
}

/// Cosine from which a direction is that of an axis of the file.
const STRAIGHT: f64 = 0.9999;

impl Ruler {
    /// Along an axis of the unit cube; `None` if the file has the character turned away from its axes, or it is flat.
    fn along(direction: &Vec3, bounds: &Bounds, input_from_unit: &Similarity) -> Option<Ruler> {
        let in_file = input_from_unit.isometry.rotation * direction;
        let axis = in_file.iamax();
        let along = direction * bounds.extent().dot(direction);
        let values = [bounds.min, bounds.min + along]
            .map(|end| input_from_unit.transform_point(&end.into()).coords[axis]);
        let is_straight = in_file[axis].abs() >= STRAIGHT;
        (is_straight && values[0] != values[1]).then_some(Ruler { axis, start: bounds.min, along, values })
    }

    /// Round numbers with their places in the unit cube; the last tells the axis.
    fn marks(&self) -> Vec<(Vec3, String)> {
        let [from, to] = self.values;
        let step = round_step((to - from).abs() / MARKS);
        let decimals = (-log10(step).floor()).max(0.0) as usize;
        let (low, high) = (from.min(to), from.max(to));
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        let name = ["x", "y", "z"][self.axis];
        (first..=last)
            .map(|count| {
                let value = count as f64 * step;
                let place = self.start + self.along * ((value - from) / (to - from));
                let number = format!("{:.decimals$}", value + 0.0);
                (place, if count == last { format!("{name} {number}") } else { number })
            })
            .collect()
    }
}

/// Steps of a ruler, the largest first, within a decade.
const STEPS: [f64; 3] = [5.0, 2.0, 1.0];
const DECADE: f64 = 10.0;

/// The largest of 1, 2, 5 times a power of ten that is not above a number.
fn round_step(most: f64) -> f64 {
    let power = powi(DECADE, log10(most).floor() as i32);
    STEPS.into_iter().map(|step| step * power).find(|step| *step <= most).unwrap_or(power)
}

/// A thin line between two pixels.
fn line(image: &mut Image, from: [usize; 2], to: [usize; 2]) {
    let steps = from[0].abs_diff(to[0]).max(from[1].abs_diff(to[1])).max(1);
    for step in 0..=steps {
        let t = step as f64 / steps as f64;
        let [x, y] =
            [0, 1].map(|axis| (from[axis] as f64 * (1.0 - t) + to[axis] as f64 * t).round() as usize);
        if x < image.width && y < image.height {
            image.pixels[y * image.width + x] = opaque(PALE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulers_have_round_numbers_in_the_coordinates_of_the_file() {
        assert_eq!([0.37, 0.1, 7.2, 23.0].map(round_step), [0.2, 0.1, 5.0, 20.0]);
        // In the file z is up, in hundredths.
        let up = crate::math::Quat::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2);
        let unit_from_input = Similarity::from_parts(Vec3::zeros().into(), up, 0.01);
        let bounds = Bounds { min: Vec3::zeros(), max: Vec3::new(0.4, 1.0, 0.2) };
        let ruler = Ruler::along(&Vec3::y(), &bounds, &unit_from_input.inverse()).unwrap();
        let marks = ruler.marks();
        let texts: Vec<&str> = marks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["0", "20", "40", "60", "80", "z 100"]);
        assert!((marks[1].0.y - 0.2).abs() < 1e-12);
        let askew = crate::math::Quat::from_axis_angle(&Vec3::y_axis(), 0.3);
        let unit_from_input = Similarity::from_parts(Vec3::zeros().into(), askew, 1.0);
        assert!(Ruler::along(&Vec3::x(), &bounds, &unit_from_input.inverse()).is_none());
        assert!(Ruler::along(&Vec3::y(), &bounds, &unit_from_input.inverse()).is_some());
    }

    #[test]
    fn texts_keep_their_distance_and_stay_in_the_picture() {
        let callouts: Vec<Callout> = [5.0, 6.0, 7.0, 300.0, 399.0]
            .map(|row| Callout { joint: [0.0, row], text: String::new() })
            .into_iter()
            .collect();
        let tops = rows(&callouts, 400);
        assert!(tops.windows(2).all(|pair| pair[1] >= pair[0] + LINE), "{tops:?}");
        assert!(tops[3] == 300 - HEIGHT / 2 && tops[4] + HEIGHT <= 400);
    }
}
