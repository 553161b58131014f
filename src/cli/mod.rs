//! One file for each command: check, load, call, save, report.

mod animate;
mod args;
mod clip_args;
mod export;
mod inspect;
mod mesh_args;
mod motions;
mod output;
mod preview;
mod remedies;
mod retarget;
mod rig;
mod rig_args;
mod rig_summary;
mod run;
mod save;
mod skeletons;

use clap::{Parser, Subcommand};
use output::Output;
use std::ffi::OsString;

/// Rigs a character mesh by itself, moves mocap onto it with planted feet, and writes animated glTF.
#[derive(Debug, Parser)]
#[command(name = "puppetry", version, max_term_width = 110, arg_required_else_help = true)]
#[command(
    after_help = "Example:\n  puppetry rig examples/characters/troll.glb -o troll.glb --stages pictures"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Worker threads; the result does not depend on it [default: one for each core]
    #[arg(long, global = true, help_heading = "Anywhere", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print no warnings and no summaries
    #[arg(short, long, global = true, help_heading = "Anywhere")]
    quiet: bool,
    /// Print more: what was tried, and how long each stage took
    #[arg(short, long, global = true, help_heading = "Anywhere", conflicts_with = "quiet")]
    verbose: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Animate(animate::Animate),
    Inspect(inspect::Inspect),
    Motions(motions::Motions),
    Retarget(retarget::Retarget),
    Preview(preview::Preview),
    Rig(rig::RigCommand),
    Skeletons(skeletons::Skeletons),
}

/// Runs a command as it is typed, the name of the program first. Returns the exit code: 0 done, 1 could not do it, 2 wrong usage.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors of this kind too. If nobody reads them, nobody misses them.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    let mut output = Output::new(cli.quiet, cli.verbose);
    let result = match cli.threads {
        // The pool is global, so that every parallel loop uses it; nothing else has been started yet.
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(anyhow::Error::from),
        None => Ok(()),
    }
    .and_then(|()| match &cli.command {
        Command::Animate(command) => command.run(&mut output),
        Command::Inspect(command) => command.run(&mut output),
        Command::Motions(command) => command.run(&mut output),
        Command::Retarget(command) => command.run(&mut output),
        Command::Preview(command) => command.run(&mut output),
        Command::Rig(command) => command.run(&mut output),
        Command::Skeletons(command) => command.run(&mut output),
    });
    output.finish(result)
}
