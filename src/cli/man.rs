use super::output::Output;
use anyhow::{Result, bail};
use clap::Args;
use clap_mangen::Man as Page;

/// Print the manual page of the program or of a command
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  puppetry man | man -l -\n  puppetry man animate > puppetry-animate.1")]
pub struct Man {
    /// Of which command [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl Man {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let mut program = super::command();
        program.build();
        let command = match self.command.as_deref() {
            None => program,
            Some(name) => match program.find_subcommand(name) {
                Some(command) => command.clone(),
                None => bail!("there is no command '{name}'; 'puppetry --help' lists them"),
            },
        };
        let mut page = Vec::new();
        Page::new(command).render(&mut page)?;
        output.result(String::from_utf8_lossy(&page).trim_end())
    }
}
