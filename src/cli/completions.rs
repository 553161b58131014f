use super::output::Output;
use anyhow::Result;
use clap::Args;
use clap_complete::Shell;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  puppetry completions bash > ~/.local/share/bash-completion/completions/puppetry\n  puppetry completions zsh > ~/.zfunc/_puppetry"
)]
pub struct Completions {
    /// Which shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub fn run(&self, output: &mut Output) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "puppetry", &mut script);
        output.result(String::from_utf8_lossy(&script).trim_end())
    }
}
