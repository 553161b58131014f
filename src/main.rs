//! The command line program; see `puppetry --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(puppetry::cli::run(std::env::args_os()))
}
