/// A skeleton file that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltIn {
    /// What `--skeleton` calls it.
    pub name: &'static str,
    /// The file, as `io::skeleton_file` reads it.
    pub text: &'static str,
}

const BUILT_IN: [BuiltIn; 4] = [
    BuiltIn { name: "human", text: include_str!("../../skeletons/human.skeleton") },
    BuiltIn { name: "quadruped", text: include_str!("../../skeletons/quadruped.skeleton") },
    BuiltIn { name: "horse", text: include_str!("../../skeletons/horse.skeleton") },
    BuiltIn { name: "centaur", text: include_str!("../../skeletons/centaur.skeleton") },
];

/// All skeletons that are part of the program.
pub fn built_in() -> &'static [BuiltIn] {
    &BUILT_IN
}
