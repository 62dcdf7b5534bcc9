#include <boost/test/unit_test.hpp>

#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/json.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_client.hpp>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(mcp_stdio_transport_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::mcp_client;
using weft::mcp_program;
using weft::task;

namespace {

/** Meets the client, in the legacy era, and reads its call. */
constexpr const char* meet =
    "read -r hello\n"
    R"(echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}')"
    "\nread -r initialized\nread -r call\n";

/** Answers the call with the text of a variable of the shell. */
constexpr const char* answer_with_text =
    R"(printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$text")"
    "\n";

mcp_program shell(std::string script)
{
    mcp_program program{{"sh", "-c", std::move(script)}};
    program.exit_patience = 100ms;
    return program;
}

struct outcome {
    std::string text;
    std::optional<errc> code;
    std::string error;
    std::vector<std::string> noise;
};

task<void> call_once(mcp_client& client, outcome& got)
{
    try {
        const boost::json::object none;
        const weft::mcp_call_result result = co_await client.call_tool("a", none);
        got.text = result.text();
    } catch (const weft::error& e) {
        got.code = e.code();
        got.error = e.what();
    }
}

task<outcome> call_and_close(mcp_program program, weft::mcp_limits limits)
{
    outcome got;
    weft::mcp_client_options options;
    options.limits = limits;
    options.timeout = 3s;
    options.era = weft::mcp_era_choice::legacy_only;
    options.reconnect.attempts_max = 0;
    options.on_noise = [&got](std::string_view what) { got.noise.emplace_back(what); };
    mcp_client client{weft::mcp_stdio(std::move(program)), options};
    co_await call_once(client, got);
    co_await client.close();
    co_return got;
}

outcome call(mcp_program program, weft::mcp_limits limits = {})
{
    return weft::run_blocking(weft::with_deadline(call_and_close(std::move(program), limits), 20s));
}

/** Sends requests and reads none of the answers. */
std::string flood(int count, std::size_t id_bytes)
{
    const std::string id(id_bytes, 'x');
    return "long=" + id + "\ni=0\nwhile [ $i -lt " + std::to_string(count) + " ]; do\n" +
           R"(printf '{"jsonrpc":"2.0","id":"%s%s","method":"ping"}\n' "$i" "$long")" + "\ni=$((i+1)); done\n";
}

std::string answer_line(const std::string& line)
{
    return std::string{meet} + "printf '%s\\n' '" + line + "'\nread -r rest";
}

bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

/** Whether a process is there and no zombie. */
bool runs(const std::string& pid)
{
    return std::system(("kill -0 " + pid + " 2>/dev/null").c_str()) == 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_is_called_and_its_banner_is_noise)
{
    const outcome got = call(shell("echo 'Server 1.0'; echo '[not json'; echo to the log >&2\n" + std::string{meet} +
                                   "text=hello\n" + answer_with_text + "read -r rest"));
    BOOST_TEST(got.text == "hello", got.error);
    BOOST_REQUIRE(got.noise.size() == 2);
    BOOST_TEST(has(got.noise[0], "Server 1.0"));
    BOOST_TEST(has(got.noise[1], "[not json"));
}

BOOST_AUTO_TEST_CASE(F3_a_server_that_does_not_read_the_answers_to_its_requests_is_given_up)
{
    const outcome many = call(shell(std::string{meet} + flood(3000, 0) + "sleep 9"));
    BOOST_TEST((many.code == errc::limit_reached), many.error);
    BOOST_TEST(has(many.error, "does not read the answers: more than 1024 answers wait"), many.error);
    weft::mcp_limits small;
    small.reply_bytes_max = 1'000'000;
    const outcome large = call(shell(std::string{meet} + flood(100, 50'000) + "sleep 9"), small);
    BOOST_TEST((large.code == errc::limit_reached), large.error);
    BOOST_TEST(has(large.error, "answers of 1000000 bytes together"), large.error);
}

BOOST_AUTO_TEST_CASE(F3_a_server_that_reads_may_ask_as_much_as_it_likes)
{
    const outcome got = call(shell(std::string{meet} + flood(700, 20) +
                                   "i=0\nwhile [ $i -lt 700 ]; do read -r pong; i=$((i+1)); done\ntext=done\n" +
                                   answer_with_text + "read -r rest"));
    BOOST_TEST(got.text == "done", got.error);
}

BOOST_AUTO_TEST_CASE(F8_half_a_character_in_an_answer_is_replaced)
{
    const outcome got = call(shell(answer_line(
        R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\ud800b"}]}})")));
    BOOST_TEST(got.text == "a\xEF\xBF\xBD" "b", got.error);
}

BOOST_AUTO_TEST_CASE(F8_an_answer_that_cannot_be_read_ends_its_call_at_once)
{
    const outcome deep = call(shell(answer_line(R"({"jsonrpc":"2.0","result":{"content":)" + std::string(70, '[') +
                                                std::string(70, ']') + R"(},"id":1})")));
    BOOST_TEST((deep.code == errc::invalid_mcp_message), deep.error);
    BOOST_TEST(has(deep.error, "nested deeper than 64"), deep.error);
    const outcome broken = call(shell(answer_line(R"({"jsonrpc":"2.0","id":1,"result":{oops}})")));
    BOOST_TEST((broken.code == errc::invalid_mcp_message), broken.error);
    const outcome empty = call(shell(answer_line(R"({"jsonrpc":"2.0","id":1})")));
    BOOST_TEST((empty.code == errc::invalid_mcp_message), empty.error);
    BOOST_TEST(has(empty.error, "neither a method nor a result nor an error"), empty.error);
}

BOOST_AUTO_TEST_CASE(an_end_of_the_program_is_told_with_its_last_words)
{
    const outcome got = call(shell(std::string{meet} + "echo 'out of cheese' >&2; exit 3"));
    BOOST_TEST((got.code == errc::connection_lost));
    BOOST_TEST(has(got.error, "exited with status 3"), got.error);
    BOOST_TEST(has(got.error, "out of cheese"), got.error);
    const outcome killed = call(shell(std::string{meet} + "kill -9 $$"));
    BOOST_TEST(has(killed.error, "was ended by signal 9"), killed.error);
    BOOST_TEST(has(killed.error, "wrote nothing"), killed.error);
}

BOOST_AUTO_TEST_CASE(an_end_is_noticed_though_a_child_keeps_the_output_open)
{
    const outcome got = call(shell(std::string{meet} + "sleep 5 & exit 4"));
    BOOST_TEST(has(got.error, "exited with status 4"), got.error);
}

BOOST_AUTO_TEST_CASE(a_program_that_closes_its_output_is_lost)
{
    const outcome got = call(shell(std::string{meet} + "exec >&-; sleep 5"));
    BOOST_TEST((got.code == errc::connection_lost));
    BOOST_TEST(has(got.error, "closed its output"), got.error);
}

BOOST_AUTO_TEST_CASE(an_end_before_the_handshake_is_told)
{
    const outcome got = call(shell("echo 'no license' >&2; exit 1"));
    BOOST_TEST((got.code == errc::connection_lost));
    BOOST_TEST(has(got.error, "no license"), got.error);
}

BOOST_AUTO_TEST_CASE(last_words_are_bounded_harmless_and_free_of_secrets)
{
    mcp_program program = shell(std::string{meet} +
                                "head -c 100000 /dev/zero | tr '\\0' x >&2\n"
                                "printf '\\033[31mkey: %s' \"$KEY\" >&2; exit 1");
    program.secrets["KEY"] = weft::secret_string{"TEST-0123456789abcdef"};
    program.last_words_max = 200;
    const outcome got = call(std::move(program));
    BOOST_TEST(got.error.size() < 500U);
    BOOST_TEST(has(got.error, "key: ***"), got.error);
    BOOST_TEST(!has(got.error, "TEST-0123456789abcdef"));
    BOOST_TEST(!has(got.error, "\033"));
}

BOOST_AUTO_TEST_CASE(the_environment_is_what_is_allowed)
{
    ::setenv("WEFT_TEST_SECRET", "leaked", 1);
    ::setenv("WEFT_TEST_SHARED", "shared", 1);
    mcp_program program =
        shell(std::string{meet} + "text=\"$WEFT_TEST_SECRET,$WEFT_TEST_SHARED,$GIVEN,$KEY\"\n" + answer_with_text +
              "read -r x");
    program.inherited.push_back("WEFT_TEST_SHARED");
    program.environment["GIVEN"] = "given";
    program.secrets["KEY"] = weft::secret_string{"k"};
    BOOST_TEST(call(std::move(program)).text == ",shared,given,k");
}

BOOST_AUTO_TEST_CASE(a_program_runs_in_its_folder)
{
    mcp_program program = shell(std::string{meet} + "text=$(pwd)\n" + answer_with_text + "read -r x");
    program.folder = "/usr";
    BOOST_TEST(call(program).text == "/usr");
    program.folder = "/there/is/none";
    const outcome got = call(std::move(program));
    BOOST_TEST((got.code == errc::invalid_configuration));
    BOOST_TEST(has(got.error, "/there/is/none"), got.error);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_started_is_a_mistake_of_the_configuration)
{
    const outcome got = call(mcp_program{{"weft-no-such-program"}});
    BOOST_TEST((got.code == errc::invalid_configuration));
    BOOST_TEST(has(got.error, "cannot start 'weft-no-such-program'"), got.error);
    BOOST_CHECK_THROW((void)weft::mcp_stdio(mcp_program{}), weft::error);
}

BOOST_AUTO_TEST_CASE(a_huge_line_ends_the_connection)
{
    mcp_program program = shell(std::string{meet} + "head -c 100000 /dev/zero | tr '\\0' x; sleep 5");
    program.line_bytes_max = 1000;
    const outcome got = call(std::move(program));
    BOOST_TEST((got.code == errc::response_too_large));
}

BOOST_AUTO_TEST_CASE(a_stubborn_program_is_killed_with_its_children)
{
    // It ignores the end of its input and SIGTERM, and so does its child; the text is their process ids.
    const outcome got = call(shell("trap '' TERM\nsh -c \"trap '' TERM; sleep 30\" & child=$!\n" + std::string{meet} +
                                   "text=\"$$ $child\"\n" + answer_with_text + "sleep 30; sleep 30"));
    const std::size_t space = got.text.find(' ');
    BOOST_REQUIRE_MESSAGE(space != std::string::npos, got.error);
    for (const std::string& pid : {got.text.substr(0, space), got.text.substr(space + 1)}) {
        // The kernel takes a moment for a killed process.
        for (int i = 0; i < 200 && runs(pid); ++i)
            weft::run_blocking([]() -> task<void> { co_await weft::sleep_for(10ms); }());
        BOOST_TEST(!runs(pid));
    }
}

BOOST_AUTO_TEST_CASE(a_large_message_arrives_whole)
{
    const outcome got = call(shell(std::string{meet} +
                                   R"(printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"')" +
                                   "\nhead -c 3000000 /dev/zero | tr '\\0' y\n" + R"(printf '"}]}}\n')" +
                                   "\nread -r x"));
    BOOST_TEST(got.text.size() == 3'000'000U, got.error);
}

BOOST_AUTO_TEST_CASE(a_client_that_is_destroyed_kills_its_program)
{
    const auto work = []() -> task<std::string> {
        weft::mcp_client_options options;
        options.era = weft::mcp_era_choice::legacy_only;
        mcp_program program = shell(std::string{meet} + "text=$$\n" + answer_with_text + "sleep 30");
        mcp_client client{weft::mcp_stdio(std::move(program)), options};
        outcome got;
        co_await call_once(client, got);
        co_return got.text;
    };
    const std::string pid = weft::run_blocking(work());
    BOOST_TEST(!pid.empty());
    BOOST_TEST(!runs(pid));
}

BOOST_AUTO_TEST_SUITE_END()
