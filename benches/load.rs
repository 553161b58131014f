//! Reading a sphere of 200,000 vertices and 400,000 triangles from memory, on one core.

use divan::Bencher;
use divan::counter::BytesCount;
use puppetry::Warning;
use puppetry::stages::io::{Fault, Folder, obj, off, ply, stl};
use puppetry::stages::mesh::{Mesh, shapes};
use std::fmt::Write;
use std::hint::black_box;

fn main() {
    divan::main();
}

const RINGS: u32 = 447;

fn sphere() -> Mesh {
    shapes::uv_sphere(RINGS, RINGS)
}

fn measure(
    bencher: Bencher,
    bytes: Vec<u8>,
    read: impl Fn(&[u8], &mut Vec<Warning>) -> Result<Mesh, Fault> + Sync,
) {
    bencher.counter(BytesCount::of_slice(&bytes)).bench_local(|| {
        let mesh = read(black_box(&bytes), &mut Vec::new()).expect("a good file");
        assert_eq!(mesh.triangles.len(), (2 * RINGS * (RINGS - 1)) as usize);
        mesh
    });
}

/// Positions alone, and triangles as `v`.
#[divan::bench(sample_count = 20)]
fn obj_plain(bencher: Bencher) {
    let mut text = String::new();
    for p in &sphere().positions {
        writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
    }
    for t in &sphere().triangles {
        writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap();
    }
    measure(bencher, text.into_bytes(), |bytes, warnings| obj::read(bytes, &Folder::none(), warnings));
}

/// As modelling programs export: texture coordinates and normals, corners as `v/vt/vn`.
#[divan::bench(sample_count = 20)]
fn obj_textured(bencher: Bencher) {
    let mesh = sphere();
    let mut text = String::new();
    for p in &mesh.positions {
        writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
    }
    for p in &mesh.positions {
        writeln!(text, "vt {:.6} {:.6}", 0.5 + 0.5 * p.x, 0.5 + 0.5 * p.y).unwrap();
    }
    for p in &mesh.positions {
        writeln!(text, "vn {:.4} {:.4} {:.4}", p.x, p.y, p.z).unwrap();
    }
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| i + 1);
        writeln!(text, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}").unwrap();
    }
    measure(bencher, text.into_bytes(), |bytes, warnings| obj::read(bytes, &Folder::none(), warnings));
}

/// Every triangle with its own normal: each position is used in about six combinations.
#[divan::bench(sample_count = 20)]
fn obj_flat_shaded(bencher: Bencher) {
    let mesh = sphere();
    let mut text = String::new();
    for p in &mesh.positions {
        writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
    }
    for (i, t) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = t.map(|i| i + 1);
        let p = mesh.positions[t[0] as usize];
        let n = i + 1;
        writeln!(text, "vn {:.4} {:.4} {:.4}\nf {a}//{n} {b}//{n} {c}//{n}", p.x, p.y, p.z).unwrap();
    }
    measure(bencher, text.into_bytes(), |bytes, warnings| obj::read(bytes, &Folder::none(), warnings));
}

fn ply_header(format: &str, mesh: &Mesh) -> String {
    format!(
        "ply\nformat {format} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )
}

#[divan::bench(sample_count = 20)]
fn ply_binary(bencher: Bencher) {
    let mesh = sphere();
    let mut bytes = ply_header("binary_little_endian", &mesh).into_bytes();
    for p in &mesh.positions {
        bytes.extend(p.iter().flat_map(|&c| (c as f32).to_le_bytes()));
    }
    for t in &mesh.triangles {
        bytes.push(3);
        bytes.extend(t.iter().flat_map(|i| i.to_le_bytes()));
    }
    measure(bencher, bytes, |bytes, warnings| ply::read(bytes, &Folder::none(), warnings));
}

#[divan::bench(sample_count = 20)]
fn ply_ascii(bencher: Bencher) {
    let mesh = sphere();
    let mut text = ply_header("ascii", &mesh);
    for p in &mesh.positions {
        writeln!(text, "{:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
    }
    for t in &mesh.triangles {
        writeln!(text, "3 {} {} {}", t[0], t[1], t[2]).unwrap();
    }
    measure(bencher, text.into_bytes(), |bytes, warnings| ply::read(bytes, &Folder::none(), warnings));
}

#[divan::bench(sample_count = 20)]
fn stl_binary(bencher: Bencher) {
    let mesh = sphere();
    let mut bytes = vec![b' '; 80];
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in &mesh.triangles {
        for p in [t[0], t[0], t[1], t[2]].map(|i| mesh.positions[i as usize]) {
            bytes.extend(p.iter().flat_map(|&c| (c as f32).to_le_bytes()));
        }
        bytes.extend([0, 0]);
    }
    measure(bencher, bytes, stl::read);
}

#[divan::bench(sample_count = 20)]
fn stl_ascii(bencher: Bencher) {
    let mesh = sphere();
    let mut text = String::from("solid sphere\n");
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
        writeln!(text, "facet normal {:.4} {:.4} {:.4}\n outer loop", a.x, a.y, a.z).unwrap();
        for p in [a, b, c] {
            writeln!(text, "  vertex {:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
        }
        text.push_str(" endloop\nendfacet\n");
    }
    text.push_str("endsolid sphere\n");
    measure(bencher, text.into_bytes(), stl::read);
}

#[divan::bench(sample_count = 20)]
fn off_ascii(bencher: Bencher) {
    let mesh = sphere();
    let mut text = format!("OFF\n{} {} 0\n", mesh.positions.len(), mesh.triangles.len());
    for p in &mesh.positions {
        writeln!(text, "{:.6} {:.6} {:.6}", p.x, p.y, p.z).unwrap();
    }
    for t in &mesh.triangles {
        writeln!(text, "3 {} {} {}", t[0], t[1], t[2]).unwrap();
    }
    measure(bencher, text.into_bytes(), off::read);
}
