//! Which derived joints a character gets.

/// Which joints a skin gets that follow others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HelperOptions {
    /// Along the bones of arms and legs.
    pub twist: TwistJoints,
    /// At shoulders, elbows, hips and knees.
    pub volume: VolumeJoints,
}

impl HelperOptions {
    /// No such joints.
    pub const NONE: HelperOptions = HelperOptions { twist: TwistJoints::None, volume: VolumeJoints::None };
}

/// How many twist joints there are along a bone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TwistJoints {
    /// Two for arms, one for legs, fewer on coarse meshes.
    #[default]
    Auto,
    /// None.
    None,
    /// So many.
    Count(usize),
}

/// What keeps the volume of limbs that bend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VolumeJoints {
    /// Nothing.
    #[default]
    None,
    /// Joints that rotate half as far.
    Half,
    /// Those, and muscles of the upper arms, which become thicker as elbows bend.
    Bulge,
}
