/// A line of a map file: a joint of the character, and the joint of the motion that moves it, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JointMapOverride {
    /// Joint of the character.
    pub target: String,
    /// Joint of the motion; `None` leaves the joint unmoved.
    pub source: Option<String>,
}
