#include <boost/test/unit_test.hpp>

#include "tool/own_directory.hpp"
#include "tool/tools.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/tool/shell_tool.hpp>

#include <csignal>
#include <cstdlib>
#include <stop_token>
#include <thread>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(shell_tool_test)

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

weft::shell_tool_options shell_in(const own_directory& directory)
{
    weft::shell_tool_options options;
    options.shell = "/bin/sh";
    options.directory = directory.path();
    return options;
}

weft::tool_result run(weft::shell_tool_options options, json::object arguments, std::stop_token stop = {})
{
    const std::shared_ptr<weft::tool> tool = weft::shell_tool(std::move(options));
    weft::tool_invocation invocation{call_of("c", "shell"), std::move(arguments)};
    return weft::run_blocking(tool->call(std::move(invocation)), std::move(stop));
}

std::string output(const weft::shell_tool_options& options, std::string_view command)
{
    return run(options, {{"command", command}}).readable();
}

/** Whether a process is gone, or waits only for its parent to look. */
bool is_gone(const std::string& pid)
{
    std::ifstream file{"/proc/" + pid + "/stat"};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    return text.empty() || has(text, ") Z ") || has(text, ") X ");
}

bool goes(const std::string& pid)
{
    const auto give_up = std::chrono::steady_clock::now() + 10s;
    while (!is_gone(pid)) {
        if (std::chrono::steady_clock::now() > give_up) return false;
        std::this_thread::yield();
    }
    return true;
}

/** The number that a command wrote to a file. */
std::string number_in(const own_directory& directory, const std::string& name)
{
    std::string text = directory.get(name);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_runs_without_a_shell)
{
    const own_directory directory{"shell"};
    weft::shell_tool_options options;
    options.programs = {"echo", "false", "pwd"};
    options.directory = directory.path();
    const weft::tool_result echoed = run(options, {{"argv", json::array{"echo", "$HOME", "; ls", "*"}}});
    BOOST_TEST(echoed.readable() == "exit status 0\n$HOME ; ls *\n");
    BOOST_TEST(!echoed.is_error);
    BOOST_TEST(run(options, {{"argv", json::array{"false"}}}).readable() == "exit status 1\n");
    BOOST_TEST(run(options, {{"argv", json::array{"false"}}}).is_error);
    BOOST_TEST(has(run(options, {{"argv", json::array{"pwd"}}}).readable(), directory.path().string()));
    BOOST_TEST(run(options, {{"argv", json::array{"cat", "/etc/passwd"}}}).readable() ==
               "The program 'cat' is not allowed; these are: echo false pwd");
    BOOST_TEST(run(options, {{"argv", json::array{"/bin/echo"}}}).is_error);
    const json::array with_nul{json::string_view{"echo"}, json::string_view{"a\0b", 3}};
    BOOST_TEST(run(options, {{"argv", with_nul}}).readable() == "A word has a NUL.");
    options.programs = {"no-such-program"};
    BOOST_TEST(has(run(options, {{"argv", json::array{"no-such-program"}}}).readable(), "is not installed"));
}

BOOST_AUTO_TEST_CASE(both_streams_and_the_end_are_told)
{
    const own_directory directory{"shell"};
    BOOST_TEST(output(shell_in(directory), "echo out; echo err >&2; exit 3") == "exit status 3\nout\nerr\n");
    BOOST_TEST(output(shell_in(directory), "kill -9 $$") == "killed by signal 9\n");
    BOOST_TEST(output(shell_in(directory), "cat; echo read") == "exit status 0\nread\n");
}

BOOST_AUTO_TEST_CASE(of_the_environment_only_what_is_named_is_seen)
{
    const own_directory directory{"shell"};
    ::setenv("WEFT_TEST_KEY", "sesame", 1);
    ::setenv("WEFT_TEST_LEVEL", "3", 1);
    weft::shell_tool_options options = shell_in(directory);
    options.inherited = {"WEFT_TEST_LEVEL", "WEFT_TEST_NONE"};
    const std::string seen = output(options, "env");
    BOOST_TEST(!has(seen, "sesame"));
    BOOST_TEST(!has(seen, "HOME="));
    BOOST_TEST(has(seen, "WEFT_TEST_LEVEL=3"));
    BOOST_TEST(has(seen, "PATH=/usr/local/bin:/usr/bin:/bin"));
}

BOOST_AUTO_TEST_CASE(programs_get_no_open_file_and_no_core)
{
    const own_directory directory{"shell"};
    std::ifstream leaked{"/proc/self/status"};
    const std::string seen = output(shell_in(directory), "ls /proc/self/fd | tr '\\n' ' '; ulimit -c");
    BOOST_TEST(has(seen, "0 1 2 3 0\n"));  // the third is the directory that ls reads
}

BOOST_AUTO_TEST_CASE(of_a_long_output_the_middle_is_left_out)
{
    const own_directory directory{"shell"};
    weft::shell_tool_options options = shell_in(directory);
    options.output_bytes_max = 1'000;
    const std::string seen = output(options, "echo begin; yes x | head -c 10000000; echo end");
    BOOST_TEST(seen.size() < 1'200u);
    BOOST_TEST(seen.starts_with("exit status 0\nbegin\n"));
    BOOST_TEST(has(seen, " bytes left out]"));
    BOOST_TEST(seen.ends_with("x\nend\n"));
}

BOOST_AUTO_TEST_CASE(when_time_is_up_children_of_children_are_killed)
{
    const own_directory directory{"shell"};
    weft::shell_tool_options options = shell_in(directory);
    options.time_max = 300ms;
    const weft::tool_result result =
        run(options, {{"command", "echo before; (sleep 1000 & echo $! > inner; wait) & sleep 1000"}});
    BOOST_TEST(result.is_error);
    BOOST_TEST(result.readable() == "killed: it took longer than 300 ms\nbefore\n");
    const std::string inner = number_in(directory, "inner");
    BOOST_TEST(!inner.empty());
    BOOST_TEST(goes(inner));
}

BOOST_AUTO_TEST_CASE(what_a_program_leaves_behind_is_killed_at_its_end)
{
    const own_directory directory{"shell"};
    const std::string seen = output(shell_in(directory), "sleep 1000 & echo $! > left; echo done");
    BOOST_TEST(seen == "exit status 0\ndone\n");
    BOOST_TEST(goes(number_in(directory, "left")));
}

BOOST_AUTO_TEST_CASE(a_stop_kills_the_program)
{
    const own_directory directory{"shell"};
    std::stop_source stop;
    std::jthread stopper{[&] {
        while (number_in(directory, "self").empty()) std::this_thread::yield();
        stop.request_stop();
    }};
    BOOST_CHECK_EXCEPTION((void)run(shell_in(directory), {{"command", "echo $$ > self; sleep 1000"}}, stop.get_token()),
                          weft::error, [](const weft::error& e) { return e.code() == weft::errc::cancelled; });
    BOOST_TEST(goes(number_in(directory, "self")));
}

BOOST_AUTO_TEST_CASE(limits_hold)
{
    const own_directory directory{"shell"};
    weft::shell_tool_options options = shell_in(directory);
    options.file_bytes_max = 1'000;
    BOOST_TEST(!has(output(options, "head -c 100000 /dev/zero > big && echo written"), "written"));
    BOOST_TEST(directory.get("big").size() <= 1'000u);
}

BOOST_AUTO_TEST_CASE(what_is_to_run_and_where_must_be_named)
{
    const auto code = [](weft::shell_tool_options options) {
        try {
            (void)weft::shell_tool(std::move(options));
        } catch (const weft::error& e) {
            return e.code();
        }
        return weft::errc{};
    };
    weft::shell_tool_options options;
    options.directory = "/";
    BOOST_TEST((code(options) == weft::errc::invalid_configuration));
    options.shell = "sh";
    BOOST_TEST((code(options) == weft::errc::invalid_configuration));
    options.shell = "/bin/sh";
    BOOST_TEST((code(options) == weft::errc{}));
    options.directory.clear();
    BOOST_TEST((code(options) == weft::errc::invalid_configuration));
    options.directory = "/nowhere/at/all";
    BOOST_CHECK_THROW((void)run(options, {{"command", "true"}}), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
