#include "files.hpp"
#include "program.hpp"
#include "terminal/list_option.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(list_option_test)

namespace {

/** The words of a command have been read. */
struct parsed {};

struct program {
    program()
    {
        weft_cli::describe_program(app, exit_code);
        // Parsed, and not carried out. The callback of a command stays: it has what the options write to.
        for (CLI::App* const command : commands()) command->parse_complete_callback([] { throw parsed{}; });
    }

    std::vector<CLI::App*> commands() { return app.get_subcommands([](CLI::App*) { return true; }); }

    CLI::App app;
    int exit_code = 0;
};

bool is_list(const CLI::Option& option)
{
    // One value of two words, such as a pair of files, is no list.
    return option.get_type_size_max() > 0 && option.get_items_expected_max() > option.get_type_size_max();
}

std::string flag_of(const CLI::Option& option)
{
    return option.get_lnames().empty() ? "-" + option.get_snames().front() : "--" + option.get_lnames().front();
}

/** Words that a command's arguments take: two for one that takes any number. Numbers fit every type. */
std::vector<std::string> arguments_of(const CLI::App& command)
{
    std::vector<std::string> words;
    for (const CLI::Option* const option : command.get_options())
        for (int i = 0; option->get_positional() && i < std::min(option->get_items_expected_max(), 2); ++i)
            words.push_back(std::to_string(words.size() + 1));
    return words;
}

/** What the arguments of a command got when these words were parsed. */
std::vector<std::string> taken_by_arguments(const std::string& name, const std::vector<std::string>& words)
{
    program fresh;
    CLI::App& command = *fresh.app.get_subcommand(name);
    for (CLI::Option* const option : command.get_options()) {
        for (CLI::Option* const needed : option->get_needs()) option->remove_needs(needed);
        const std::set<CLI::Option*> excluded = option->get_excludes();
        for (CLI::Option* const other : excluded) option->remove_excludes(other);
    }
    std::vector<std::string> line{words.rbegin(), words.rend()};
    line.push_back(name);
    BOOST_CHECK_THROW(fresh.app.parse(line), parsed);
    std::vector<std::string> taken;
    for (const CLI::Option* const option : command.get_options())
        if (option->get_positional()) taken.insert(taken.end(), option->results().begin(), option->results().end());
    return taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(W2_no_list_option_of_any_command_takes_the_words_behind_its_value)
{
    program all;
    std::vector<std::string> looked_at;
    for (const CLI::App* const command : all.commands()) {
        const std::vector<std::string> arguments = arguments_of(*command);
        for (const CLI::Option* const option : command->get_options()) {
            if (option->get_positional() || !is_list(*option)) continue;
            const std::string flag = flag_of(*option);
            looked_at.push_back(command->get_name() + " " + flag);
            for (const std::vector<std::string>& written : {std::vector<std::string>{flag, "a,b"}, {flag + "=a,b"}}) {
                std::vector<std::string> words = written;
                words.insert(words.end(), arguments.begin(), arguments.end());
                BOOST_TEST(taken_by_arguments(command->get_name(), words) == arguments,
                           boost::test_tools::per_element());
            }
        }
    }
    for (const char* const expected : {"check --kinds", "check --types", "check --tools", "explain --input",
                                       "draw --tools", "fork --set", "fork --kinds", "run --allow", "run --stub",
                                       "run --answer", "resume --allow", "resume --answer"})
        BOOST_TEST(std::count(looked_at.begin(), looked_at.end(), expected) == 1, expected);
}

BOOST_AUTO_TEST_CASE(values_of_a_comma_list_are_divided_and_those_of_a_list_are_not)
{
    CLI::App app;
    std::vector<std::string> names;
    std::vector<std::string> texts;
    std::vector<std::string> files;
    weft_cli::add_comma_list(app, "--names", names, "Names");
    weft_cli::add_list(app, "--text", texts, "Texts");
    app.add_option("FILE", files);
    app.parse("--names a,b --text one,two f --names=c --text three g", false);
    BOOST_TEST(names == (std::vector<std::string>{"a", "b", "c"}), boost::test_tools::per_element());
    BOOST_TEST(texts == (std::vector<std::string>{"one,two", "three"}), boost::test_tools::per_element());
    BOOST_TEST(files == (std::vector<std::string>{"f", "g"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
