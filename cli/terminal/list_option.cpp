#include "list_option.hpp"

namespace weft_cli {

CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* about)
{
    return command.add_option(name, values, about)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_comma_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* about)
{
    return add_list(command, name, values, about)->delimiter(',');
}

}  // namespace weft_cli
