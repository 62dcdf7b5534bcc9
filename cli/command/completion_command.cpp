#include "commands.hpp"

#include "completion/shell_completion.hpp"
#include "terminal/exit_codes.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace weft_cli {

namespace {

std::string completion_for(const std::string& shell, const command_outline& program)
{
    if (shell == "bash") return bash_completion(program);
    return shell == "zsh" ? zsh_completion(program) : fish_completion(program);
}

}  // namespace

void add_completion_command(CLI::App& app, int& exit_code)
{
    const auto shell = std::make_shared<std::string>();
    CLI::App& command = *app.add_subcommand("completion", "Write a script that completes weft in a shell");
    command.add_option("SHELL", *shell, "Which shell")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("");
    command.footer(R"(Where an installed weft does not complete by itself:
  bash  echo 'source <(weft completion bash)' >> ~/.bashrc
  zsh   echo 'source <(weft completion zsh)' >> ~/.zshrc    # after compinit
  fish  weft completion fish > ~/.config/fish/completions/weft.fish

Example:
  source <(weft completion bash))");
    command.callback([shell, &app, &exit_code] {
        std::cout << completion_for(*shell, outline_of(app));
        exit_code = all_good;
    });
}

}  // namespace weft_cli
