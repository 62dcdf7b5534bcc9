#include "completion/man_page.hpp"
#include "completion/program_outline.hpp"
#include "completion/shell_completion.hpp"
#include "files.hpp"
#include "program.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(program_outline_test)

namespace {

const weft_cli::option_outline& named(const std::vector<weft_cli::option_outline>& options, std::string_view flag)
{
    const auto found = std::find_if(options.begin(), options.end(), [&](const weft_cli::option_outline& option) {
        return std::find(option.flags.begin(), option.flags.end(), flag) != option.flags.end();
    });
    BOOST_REQUIRE(found != options.end());
    return *found;
}

weft_cli::command_outline example()
{
    static std::string text;
    static std::vector<std::string> many;
    static bool flag;
    CLI::App app{"Does it."};
    app.name("weft");
    CLI::App& command = *app.add_subcommand("do", "Don't [stop]: \\ it");
    command.add_option("-o,--out", text, "Where")->type_name("OUT");
    command.add_option("--log", text, "What is")->type_name("RUN.jsonl");
    command.add_option("--how", text)->check(CLI::IsMember({"fast", "slow"}))->type_name("HOW")->default_str("fast");
    command.add_option("--name", text)->type_name("K=V...");
    command.add_option("--secret", text)->group("");
    command.add_flag("--dry", flag, "Only say");
    command.add_option("FILE", many, "What")->required()->type_name("");
    command.footer("Examples:\n  weft do 'it'\\n\n\n.not a request");
    app.add_subcommand("hidden", "No")->group("");
    return weft_cli::outline_of(app);
}

}  // namespace

BOOST_AUTO_TEST_CASE(options_and_arguments_are_told_apart)
{
    const weft_cli::command_outline program = example();
    BOOST_TEST_REQUIRE(program.commands.size() == 1U);
    const weft_cli::command_outline& command = program.commands[0];
    const weft_cli::option_outline& out = named(command.options, "--out");
    BOOST_TEST((out.flags == std::vector<std::string>{"-o", "--out"}));
    BOOST_TEST(out.value == "OUT");
    BOOST_TEST(out.takes_file);
    BOOST_TEST(!out.is_many);
    BOOST_TEST(named(command.options, "--log").takes_file);
    BOOST_TEST(!named(command.options, "--name").takes_file);
    const weft_cli::option_outline& how = named(command.options, "--how");
    BOOST_TEST((how.choices == std::vector<std::string>{"fast", "slow"}));
    BOOST_TEST(how.value == "HOW");
    BOOST_TEST(how.default_value == "fast");
    BOOST_TEST(named(command.options, "--dry").value == "");
    BOOST_TEST(named(command.options, "--help").value == "");
    BOOST_TEST_REQUIRE(command.arguments.size() == 1U);
    BOOST_TEST(command.arguments[0].value == "FILE");
    BOOST_TEST(command.arguments[0].is_many);
    BOOST_TEST(command.arguments[0].is_required);
    for (const weft_cli::option_outline& option : command.options)
        BOOST_TEST((option.flags != std::vector<std::string>{"--secret"}));
}

BOOST_AUTO_TEST_CASE(scripts_for_shells_quote_what_they_say)
{
    const std::string zsh = weft_cli::zsh_completion(example());
    BOOST_TEST(has(zsh, "'do:Don'\\''t \\[stop\\]\\: \\\\ it'"));
    BOOST_TEST(has(zsh, "'--how=[]:HOW:(fast slow)'"));
    BOOST_TEST(has(zsh, "'-o+[Where]:OUT:_files'"));
    BOOST_TEST(has(zsh, "'*:FILE:_files'"));
    const std::string fish = weft_cli::fish_completion(example());
    BOOST_TEST(has(fish, "-a do -d 'Don\\'t [stop]: \\\\ it'"));
    BOOST_TEST(has(fish, "-l how -x -a 'fast slow'"));
    BOOST_TEST(has(fish, "-s o -l out -r -F"));
    const std::string bash = weft_cli::bash_completion(example());
    BOOST_TEST(has(bash, "-o|--out) _weft_files; return ;;"));
    BOOST_TEST(has(bash, "--how) _weft_words 'fast slow'; return ;;"));
    BOOST_TEST(has(bash, "--name) :; return ;;"));
}

BOOST_AUTO_TEST_CASE(the_manual_page_is_safe_roff)
{
    const std::string page = weft_cli::man_page(example(), "1.2");
    BOOST_TEST(has(page, ".TH WEFT 1 \"\" \"weft 1.2\""));
    BOOST_TEST(has(page, ".PP\nExamples:\n.nf\n.RS\nweft do \\(aqit\\(aq\\en\n.RE\n.fi\n"));
    BOOST_TEST(has(page, ".PP\n\\&.not a request\n"));
    BOOST_TEST(has(page, ".TP\n\\fB\\-\\-how\\fR \\fIHOW\\fR\n\\fBfast\\fR, \\fBslow\\fR (default: fast)\n"));
    BOOST_TEST(!has(page, "secret"));
}

BOOST_AUTO_TEST_CASE(every_command_of_weft_teaches)
{
    CLI::App app;
    int exit_code = 0;
    weft_cli::describe_program(app, exit_code);
    const weft_cli::command_outline program = weft_cli::outline_of(app);
    BOOST_TEST(program.name == "weft");
    BOOST_TEST(program.commands.size() >= 5U);
    for (const weft_cli::command_outline& command : program.commands) {
        BOOST_TEST(!command.description.empty(), command.name);
        BOOST_TEST(has(command.footer, "Example"), command.name);
        for (const weft_cli::option_outline& option : command.options)
            BOOST_TEST(!option.description.empty(), command.name << " " << option.flags.back());
    }
}

BOOST_AUTO_TEST_SUITE_END()
