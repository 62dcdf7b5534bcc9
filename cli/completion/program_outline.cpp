#include "program_outline.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace weft_cli {

namespace {

bool is_file_name(std::string_view value)
{
    if (value.starts_with("FILE") || value.starts_with("OUT")) return true;
    const std::size_t dot = value.rfind('.');
    return dot != value.npos && dot > 0 && dot + 1 < value.size() &&
           std::isalpha(static_cast<unsigned char>(value[dot + 1])) != 0;
}

/** `FORMAT:{text,json}` as CLI11 writes a type with the names that it checks for. */
void read_type(const std::string& type, option_outline& into)
{
    const std::size_t open = type.find(":{");
    into.value = type.substr(0, type.find(':'));
    if (open == type.npos) return;
    const std::size_t close = type.find('}', open);
    std::string_view names = std::string_view{type}.substr(open + 2, close - open - 2);
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        into.choices.emplace_back(name);
        names.remove_prefix(std::min(name.size() + 1, names.size()));
    }
}

option_outline outline_of(const CLI::Option& option)
{
    option_outline result;
    for (const std::string& name : option.get_snames()) result.flags.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) result.flags.push_back("--" + name);
    if (option.get_type_size_max() != 0 && option.get_items_expected_max() != 0)
        read_type(option.get_type_name(), result);
    if (option.get_positional()) result.value = option.get_name(true, false);
    result.default_value = option.get_default_str();
    result.description = option.get_description();
    result.takes_file = is_file_name(result.value);
    result.is_many = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
    result.is_required = option.get_required();
    return result;
}

}  // namespace

command_outline outline_of(const CLI::App& app)
{
    command_outline result{.name = app.get_name(), .description = app.get_description(), .footer = app.get_footer()};
    for (const CLI::Option* const option : app.get_options()) {
        if (option->get_group().empty()) continue;
        (option->get_positional() ? result.arguments : result.options).push_back(outline_of(*option));
    }
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty() && !command->get_name().empty())
            result.commands.push_back(outline_of(*command));
    return result;
}

}  // namespace weft_cli
