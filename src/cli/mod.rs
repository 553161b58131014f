//! One file for each command: check, load, call, save, report.

mod animate;
mod args;
mod batch;
mod bodyparts;
mod clip_args;
mod completions;
mod destination;
mod export;
mod inspect;
mod length;
mod man;
mod mesh_args;
mod meshes;
mod motions;
mod output;
mod preview;
mod record;
mod refusal;
mod remedies;
mod retarget;
mod rig;
mod rig_args;
mod rig_summary;
mod rigging;
mod run;
mod save;
mod skeletons;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use output::Output;
use std::ffi::OsString;

/// Rigs a character mesh by itself, moves mocap onto it with planted feet, and writes animated glTF.
#[derive(Debug, Parser)]
#[command(name = "puppetry", version, max_term_width = 110, arg_required_else_help = true)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(
    after_help = "Examples:\n  puppetry animate examples/characters/gingerbread.glb --motion walk -o walking.glb\n  puppetry rig examples/characters/troll.glb -o troll.glb --stages pictures\n\nExit codes: 0 done, 1 it could not be done, 2 wrong usage, 3 written but doubtful (low confidence)"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    // One screen; what is hidden there is in the long help.
    /// Print the flags that most people need
    #[arg(short, long, global = true, help_heading = "Anywhere", action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Print the version
    #[arg(short = 'V', long, help_heading = "Anywhere", action = ArgAction::Version)]
    version: Option<bool>,
    /// Print no warnings and no summaries
    #[arg(short, long, global = true, help_heading = "Anywhere")]
    quiet: bool,
    /// Print more: what was tried, and how long each stage took
    #[arg(short, long, global = true, help_heading = "Anywhere", conflicts_with = "quiet")]
    verbose: bool,
    /// Worker threads; the result does not depend on it [default: one for each core]
    #[arg(long, global = true, help_heading = "Anywhere", hide_short_help = true, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Animate(animate::Animate),
    Rig(rig::RigCommand),
    Retarget(retarget::Retarget),
    Preview(preview::Preview),
    Inspect(inspect::Inspect),
    #[command(name = "bodyparts")]
    BodyParts(bodyparts::BodyParts),
    Motions(motions::Motions),
    Skeletons(skeletons::Skeletons),
    Completions(completions::Completions),
    Man(man::Man),
}

/// All commands with their flags. Where the help of one hides some, its last line says how to see all.
fn command() -> clap::Command {
    Cli::command().mut_subcommands(|command| {
        let hides = command.get_arguments().any(|argument| argument.is_hide_short_help_set());
        let examples = command.get_after_help().map_or(String::new(), |text| format!("{text}\n\n"));
        let name = command.get_name().to_owned();
        match hides {
            true => command.after_help(format!("{examples}More flags: puppetry help {name}")),
            false => command,
        }
    })
}

/// Runs a command as it is typed, the name of the program first. Returns the exit code: 0 done, 1 could not do it, 2 wrong
/// usage, 3 written but doubtful.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let parsed = command().try_get_matches_from(arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
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
        Command::BodyParts(command) => command.run(&mut output),
        Command::Inspect(command) => command.run(&mut output),
        Command::Motions(command) => command.run(&mut output),
        Command::Retarget(command) => command.run(&mut output),
        Command::Preview(command) => command.run(&mut output),
        Command::Rig(command) => command.run(&mut output),
        Command::Skeletons(command) => command.run(&mut output),
        Command::Completions(command) => command.run(&mut output),
        Command::Man(command) => command.run(&mut output),
    });
    output.finish(result)
}
