#include "commands.hpp"

#include "completion/man_page.hpp"
#include "terminal/exit_codes.hpp"

#include <iostream>

namespace weft_cli {

void add_man_command(CLI::App& app, int& exit_code)
{
    CLI::App& command = *app.add_subcommand("man", "Write the manual page, for the build of weft");
    command.group("");
    command.callback([&app, &exit_code] {
        std::cout << man_page(outline_of(app), WEFT_VERSION);
        exit_code = all_good;
    });
}

}  // namespace weft_cli
