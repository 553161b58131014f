//! The skeletons and motions that are part of the program.

use super::{bvh, skeleton_file};
use crate::motion::{self, Motion};
use crate::skeleton::{self, Skeleton};

impl Skeleton {
    /// A built-in skeleton: `human`, `quadruped`, `horse`, `centaur`.
    pub fn built_in(name: &str) -> Option<Skeleton> {
        let file = skeleton::built_in().iter().find(|file| file.name.eq_ignore_ascii_case(name))?;
        skeleton_file::read(file.text).ok()
    }

    /// A person, or anything with two legs, two arms and a head.
    pub fn human() -> Skeleton {
        Skeleton::built_in("human").expect("the built-in skeletons are whole")
    }

    /// A four-legged animal such as a dog.
    pub fn quadruped() -> Skeleton {
        Skeleton::built_in("quadruped").expect("the built-in skeletons are whole")
    }

    /// A four-legged animal that stands on its toes, such as a horse.
    pub fn horse() -> Skeleton {
        Skeleton::built_in("horse").expect("the built-in skeletons are whole")
    }
}

impl Motion {
    /// A built-in motion, such as `walk`; `None` if there is none of that name.
    pub fn built_in(name: &str) -> Option<Motion> {
        let known = motion::built_in().iter().find(|known| known.name.eq_ignore_ascii_case(name))?;
        bvh::read(known.bvh.as_bytes(), &mut Vec::new()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_built_in_is_whole() {
        assert!(skeleton::built_in().iter().all(|file| Skeleton::built_in(file.name).is_some()));
        assert!(motion::built_in().iter().all(|known| Motion::built_in(known.name).is_some()));
        assert_eq!((Skeleton::human().name.as_str(), Skeleton::horse().name.as_str()), ("human", "horse"));
        assert!(Motion::built_in("wlak").is_none());
    }
}
