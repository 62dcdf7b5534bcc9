#include "terminal_person.hpp"

#include "console.hpp"

#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>

#include <charconv>
#include <memory>
#include <utility>

namespace weft_cli {

namespace {

constexpr std::size_t line_max = 64u << 10;

/** The terminal, opened anew: what is read without blocking must not change the descriptor that the shell has. */
struct terminal {
    explicit terminal(weft::serial_loop& loop) : device{loop.executor()} {}

    bool open()
    {
        if (::isatty(STDIN_FILENO) != 1) return false;
        const int descriptor = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (descriptor >= 0) device.assign(descriptor);
        return descriptor >= 0;
    }

    boost::asio::posix::basic_stream_descriptor<weft::loop_executor> device;
    std::string typed;
};

/** Tells of the beginning and the end of a question, whatever way it ends. */
class turn_guard {
public:
    explicit turn_guard(const std::function<void(bool)>& turn) : turn_{turn}
    {
        if (turn_) turn_(true);
    }
    ~turn_guard()
    {
        if (turn_) turn_(false);
    }
    turn_guard(const turn_guard&) = delete;
    turn_guard& operator=(const turn_guard&) = delete;

private:
    const std::function<void(bool)>& turn_;
};

weft::error no_answer(const std::string& node, const std::string& why)
{
    return weft::error{weft::errc::invalid_configuration, "node '" + node + "'",
                       "it asks a person, and " + why + ": run it at a terminal, or answer with --answer " + node +
                           "=TEXT"};
}

weft::task<boost::json::value> says(std::string text) { co_return boost::json::value(boost::json::string_view{text}); }

}  // namespace

std::string question_text(const weft::human_question& question)
{
    std::string text = "\n" + console::harmless_line(question.node) + " asks: " + console::harmless(question.text);
    for (std::size_t i = 0; i < question.options.size(); ++i)
        text += "\n  " + std::to_string(i + 1) + "  " + console::harmless_line(question.options[i]);
    if (!question.refused.empty()) text += "\n(" + console::harmless_line(question.refused) + ")";
    if (question.form == weft::question_form::approval) text += " [y/n]";
    return text + "\n> ";
}

boost::json::value answer_in(const std::string& line, const weft::human_question& question)
{
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t end = line.find_last_not_of(" \t\r\n");
    const std::string said = begin == line.npos || end == line.npos ? "" : line.substr(begin, end + 1 - begin);
    std::size_t number = 0;
    const auto [rest, failed] = std::from_chars(said.data(), said.data() + said.size(), number);
    const bool is_number = failed == std::errc{} && rest == said.data() + said.size();
    if (question.form == weft::question_form::choice && is_number && number >= 1 && number <= question.options.size())
        return boost::json::value(boost::json::string_view{question.options[number - 1]});
    return boost::json::value(boost::json::string_view{said});
}

weft::task<boost::json::value> terminal_person::ask(weft::human_question question)
{
    const auto given = answers_.find(question.node);
    if (given == answers_.end()) return ask_at_terminal(std::move(question));
    if (question.asked > 0)
        throw weft::error{weft::errc::invalid_configuration, "--answer " + question.node,
                          "does not fit: " + question.refused};
    return says(given->second);
}

weft::task<boost::json::value> terminal_person::ask_at_terminal(weft::human_question question)
{
    const std::optional<std::string> line = co_await read_line(question_text(question));
    if (!line)
        throw no_answer(question.node, ::isatty(STDIN_FILENO) == 1 ? "the terminal is closed" : "nobody is there");
    co_return answer_in(*line, question);
}

weft::task<std::optional<std::string>> terminal_person::read_line(std::string shown)
{
    const weft::slot_limiter::slot turn = co_await gate_.acquire();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const auto where = std::make_shared<terminal>(loop);  // an aborted read touches it once more
    if (!where->open()) co_return std::nullopt;
    const turn_guard aside{turn_};
    boost::system::error_code failed;
    boost::asio::write(where->device, boost::asio::buffer(shown), failed);
    auto buffer = boost::asio::dynamic_buffer(where->typed, line_max);
    const weft::use_task_keeping keeping{where};
    const auto [code, size] = co_await boost::asio::async_read_until(where->device, buffer, '\n', keeping);
    if (code == boost::asio::error::operation_aborted)
        throw weft::error{weft::errc::cancelled, "terminal", "the question was withdrawn"};
    if (code) co_return std::nullopt;
    co_return where->typed.substr(0, size);
}

}  // namespace weft_cli
