#include <weft/tool/mcp/mcp_stdio_transport.hpp>

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/stream.hpp>
#include <weft/base/error.hpp>

#include "mcp_process.hpp"
#include "tool/rpc/broken_message.hpp"
#include "tool/rpc/json_rpc_lines.hpp"
#include "tool/rpc/mcp_text.hpp"

#include <csignal>
#include <optional>
#include <utility>

namespace weft {

namespace {

using mcp_detail::mcp_process;

/** How long what a process wrote before its end may take to be read. */
constexpr std::chrono::nanoseconds last_read_max = std::chrono::milliseconds{100};
constexpr std::size_t messages_waiting_max = 64;
constexpr std::size_t noise_bytes_max = 200;

/** One life of the program. */
struct program_run {
    explicit program_run(std::shared_ptr<mcp_process> started) : process{std::move(started)} {}

    std::shared_ptr<mcp_process> process;
    stream<std::string> outgoing{messages_waiting_max};
    std::string last_output;
};

class stdio_transport final : public mcp_transport {
public:
    explicit stdio_transport(mcp_program program) : program_{std::move(program)}
    {
        if (program_.command.empty() || program_.command.front().empty())
            throw error{errc::invalid_configuration, "MCP server", "name its program in `command`"};
        label_ = program_.command.front();
    }
    ~stdio_transport() override
    {
        // A destructor cannot wait for a program that takes its time to end; `close` does.
        if (run_) run_->process->signal(SIGKILL);
    }
    stdio_transport(const stdio_transport&) = delete;
    stdio_transport& operator=(const stdio_transport&) = delete;

    mcp_wire wire() const noexcept override { return mcp_wire::pipe; }
    const std::string& label() const noexcept override { return label_; }
    task<void> open() override;
    task<void> listen(mcp_inbox& inbox, mcp_agreement) override;
    task<void> send(mcp_inbox&, mcp_outgoing message) override;
    task<void> close(mcp_agreement) override;

private:
    task<void> read_messages(std::shared_ptr<program_run> run, mcp_inbox& inbox);
    task<void> read_errors(std::shared_ptr<program_run> run);
    task<void> write_messages(std::shared_ptr<program_run> run);
    task<void> watch_end(std::shared_ptr<program_run> run);
    void take_line(std::string_view line, mcp_inbox& inbox) const;
    error end_error(program_run& run) const;

    mcp_program program_;
    std::string label_;
    std::shared_ptr<program_run> run_;
};

task<void> stdio_transport::open()
{
    serial_loop& loop = co_await this_task::loop();
    if (run_) run_->process->signal(SIGKILL);
    // The run of before is let go first: two lives of a program may want the same files and ports.
    run_.reset();
    run_ = std::make_shared<program_run>(mcp_process::start(loop, program_, label_));
}

task<void> stdio_transport::listen(mcp_inbox& inbox, mcp_agreement)
{
    // Of its own: `open` may replace `run_` while this one still ends.
    const std::shared_ptr<program_run> run = run_;
    std::optional<error> why;
    {
        const task_context& context = co_await this_task::context();
        scope work{context};
        work.spawn(read_messages(run, inbox));
        work.spawn(read_errors(run));
        work.spawn(write_messages(run));
        work.spawn(watch_end(run));
        try {
            co_await work.join();
        } catch (const error& e) {
            why = e;
        }
    }
    run->process->signal(SIGKILL);
    const error end = why ? *why : end_error(*run);
    // What waits to be written fails with the reason of the end.
    run->outgoing.close(std::make_exception_ptr(end));
    throw end;
}

task<void> stdio_transport::read_messages(std::shared_ptr<program_run> run, mcp_inbox& inbox)
{
    json_rpc_lines lines{program_.line_bytes_max};
    for (;;) {
        const std::string_view bytes = co_await run->process->read_output();
        if (bytes.empty()) break;
        lines.feed(bytes);
        while (lines.next()) take_line(lines.line(), inbox);
        if (lines.has_failed()) throw lines.failure(label_);
    }
    // How it ended says more than that it did.
    const bool has_ended = co_await run->process->wait_for(last_read_max);
    static_cast<void>(has_ended);
    co_await sleep_for(last_read_max / 4);
    throw end_error(*run);
}

void stdio_transport::take_line(std::string_view line, mcp_inbox& inbox) const
{
    const auto drop = [&](const char* why) {
        inbox.on_noise(label_ + ": dropped '" + mcp_detail::harmless_text(line, noise_bytes_max) + "': " + why);
    };
    // Programs print banners and logs to their output: a line that is no message ends nothing.
    if (!json_rpc_lines::may_be_message(line)) return drop("no message");
    try {
        inbox.on_message(json_rpc_message::parse(line));
    } catch (const error& e) {
        if (e.code() != errc::invalid_json && e.code() != errc::invalid_mcp_message) throw;
        const std::optional<json_rpc_id> id = mcp_detail::answered_id(line);
        // The caller of an unreadable answer hears of it at once, not at its timeout.
        if (!id) return drop(e.what());
        inbox.on_broken_answer(*id, mcp_detail::unreadable_answer(label_, e));
    }
}

task<void> stdio_transport::read_errors(std::shared_ptr<program_run> run)
{
    for (;;) {
        const std::string_view bytes = co_await run->process->read_errors();
        if (bytes.empty()) co_return;
        std::string& kept = run->last_output;
        kept.append(bytes);
        if (kept.size() > program_.last_words_max) kept.erase(0, kept.size() - program_.last_words_max);
    }
}

task<void> stdio_transport::write_messages(std::shared_ptr<program_run> run)
{
    for (;;) {
        std::optional<std::string> line = co_await run->outgoing.pop();
        if (!line) break;
        const bool is_read = co_await run->process->write(std::move(*line));
        if (!is_read) break;  // its end will be noticed and says why
    }
    run->process->close_input();
}

task<void> stdio_transport::watch_end(std::shared_ptr<program_run> run)
{
    co_await run->process->wait();
    // A child of the program may keep its output open for ever.
    co_await sleep_for(last_read_max);
    throw end_error(*run);
}

error stdio_transport::end_error(program_run& run) const
{
    std::string words = run.last_output;
    for (const auto& [name, secret] : program_.secrets) words = secret.scrub(words);
    std::string detail = "the server " + run.process->end_text();
    detail += words.empty() ? "; it wrote nothing to its standard error"
                            : "; its last words: " + mcp_detail::harmless_text(words, program_.last_words_max);
    while (detail.ends_with('\n')) detail.pop_back();
    return error{errc::connection_lost, label_, std::move(detail)};
}

task<void> stdio_transport::send(mcp_inbox&, mcp_outgoing message)
{
    const std::shared_ptr<program_run> run = run_;
    if (!run) throw error{errc::connection_lost, label_, "the server does not run"};
    std::string line = message.message.text() + "\n";
    bool is_closed = false;
    try {
        co_await run->outgoing.push(std::move(line));
    } catch (const error& e) {
        if (e.code() != errc::stream_closed) throw;
        is_closed = true;
    }
    if (is_closed) throw end_error(*run);
}

task<void> stdio_transport::close(mcp_agreement)
{
    const std::shared_ptr<program_run> run = std::exchange(run_, nullptr);
    if (!run) co_return;
    run->outgoing.close();
    bool has_ended = co_await run->process->wait_for(program_.exit_patience);
    if (!has_ended) {
        run->process->signal(SIGTERM);
        has_ended = co_await run->process->wait_for(program_.exit_patience);
    }
    if (!has_ended) run->process->signal(SIGKILL);
}

}  // namespace

std::unique_ptr<mcp_transport> mcp_stdio(mcp_program program)
{
    return std::make_unique<stdio_transport>(std::move(program));
}

}  // namespace weft
