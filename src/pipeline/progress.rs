//! How far a long piece of work is, and whether to go on.

use super::Error;
use std::time::Instant;

/// Is told what is being done, and may stop it.
pub trait Progress: Sync {
    /// A stage begins; `done` is the part of the work that lies behind, from 0 to 1. `false` stops the work with
    /// [`Error::Cancelled`].
    fn begin(&self, stage: &'static str, done: f64) -> bool;
}

/// Nobody listens, and nothing is stopped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &'static str, _done: f64) -> bool {
        true
    }
}

/// Announces a stage.
pub(super) fn begin(progress: &dyn Progress, stage: &'static str, done: f64) -> Result<(), Error> {
    if progress.begin(stage, done) { Ok(()) } else { Err(Error::Cancelled) }
}

/// The seconds that each part of a run took, for reports.
#[derive(Debug, Clone)]
pub struct Laps {
    since: Instant,
    /// Parts with their seconds, in order.
    pub seconds: Vec<(&'static str, f64)>,
}

impl Laps {
    /// The clock starts now.
    pub fn start() -> Laps {
        Laps { since: Instant::now(), seconds: Vec::new() }
    }

    /// The next part begins now.
    pub fn restart(&mut self) {
        self.since = Instant::now();
    }

    /// A part has ended.
    pub fn lap(&mut self, part: &'static str) {
        self.seconds.push((part, self.since.elapsed().as_secs_f64()));
        self.since = Instant::now();
    }
}
