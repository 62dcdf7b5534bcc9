#include <weft/tool/shell_tool.hpp>

#include "child_process.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/use_task.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>
#include <weft/tool/function_tool.hpp>

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <algorithm>
#include <cerrno>

namespace weft {

using tool_detail::child_process;
using tool_detail::spilled_output;

namespace {

using descriptor = boost::asio::posix::basic_stream_descriptor<loop_executor>;

struct program_arguments {
    std::vector<std::string> argv;
};
BOOST_DESCRIBE_STRUCT(program_arguments, (), (argv))

struct command_arguments {
    std::string command;
};
BOOST_DESCRIBE_STRUCT(command_arguments, (), (command))

tool_spec shell_spec(const shell_tool_options& options)
{
    tool_spec spec{"shell", "Runs a command and gives its output back."};
    if (!options.shell.empty()) {
        spec.parameters = json_schema_of<command_arguments>();
        return spec;
    }
    spec.description += " Programs:";
    for (const std::string& program : options.programs) spec.description += " " + program;
    boost::json::object schema = json_schema_of<program_arguments>();
    boost::json::object& words = schema["properties"].as_object()["argv"].as_object();
    words["description"] = "the program and its arguments, a word each; no shell reads them";
    words["minItems"] = 1;
    spec.parameters = std::move(schema);
    return spec;
}

/** A program under way, and what of it is waited for on the loop. */
class watched_process {
public:
    watched_process(const std::vector<std::string>& words, const shell_tool_options& options, serial_loop& loop)
        : child_{words, options}, output_{loop.executor()}, end_{loop.executor()}, kept_{options.output_bytes_max}
    {
        output_.assign(::dup(child_.output_fd()));
        end_.assign(::dup(child_.end_fd()));
    }

    /** Until the program has ended; its output is read meanwhile. */
    static task<void> watch(watched_process& self)
    {
        const task_context& context = co_await this_task::context();
        scope children{context};
        children.spawn(read_output(self));
        co_await self.end_.async_wait(descriptor::wait_read, use_task);
        self.child_.kill_group();  // what it left behind in its group
        children.request_stop();
        co_await children.join();
    }

    /** Kills what still runs. @return How it ended. */
    std::string finish()
    {
        child_.kill_group();
        std::string how = child_.reap();
        (void)read_what_is_there();
        return how;
    }
    [[nodiscard]] bool has_succeeded() const noexcept { return child_.has_succeeded(); }
    [[nodiscard]] std::string text() const { return repaired_utf8(kept_.text()); }

private:
    static task<void> read_output(watched_process& self)
    {
        while (self.read_what_is_there()) co_await self.output_.async_wait(descriptor::wait_read, use_task);
    }

    /** @return False at the end of the output. */
    bool read_what_is_there()
    {
        constexpr int pieces_max = 64;  // then others have their turn
        char bytes[16 * 1024];
        for (int i = 0; i < pieces_max; ++i) {
            const ssize_t count = ::read(child_.output_fd(), bytes, sizeof bytes);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return errno == EAGAIN;
            if (count == 0) return false;
            kept_.add({bytes, static_cast<std::size_t>(count)});
        }
        return true;
    }

    child_process child_;
    descriptor output_;
    descriptor end_;
    spilled_output kept_;
};

class shell final : public described_tool {
public:
    explicit shell(shell_tool_options options) : described_tool{shell_spec(options)}, options_{std::move(options)}
    {
        editable_traits().is_destructive = true;
        editable_traits().timeout = options_.time_max + std::chrono::seconds{5};
    }

    task<tool_result> call(tool_invocation invocation) override
    {
        std::string fault;
        const std::vector<std::string> words = words_of(invocation.arguments, fault);
        if (!fault.empty()) co_return tool_result::error(std::move(fault));
        serial_loop& loop = co_await this_task::loop();
        watched_process process{words, options_, loop};
        bool is_late = false;
        try {
            co_await with_deadline(watched_process::watch(process), options_.time_max);
        } catch (const error& e) {
            if (e.code() != errc::timeout) throw;
            is_late = true;
        }
        std::string how = process.finish();
        if (is_late) how = "killed: it took longer than " + std::to_string(milliseconds()) + " ms";
        tool_result result = tool_result::text(how + "\n" + process.text());
        result.is_error = is_late || !process.has_succeeded();
        result.metadata.emplace("ended", how);
        co_return result;
    }

private:
    [[nodiscard]] std::int64_t milliseconds() const
    {
        return std::chrono::duration_cast<std::chrono::milliseconds>(options_.time_max).count();
    }

    [[nodiscard]] std::vector<std::string> words_of(const boost::json::object& arguments, std::string& fault) const
    {
        const boost::json::value whole(arguments);
        if (!options_.shell.empty())
            return checked({options_.shell, "-c", from_json<command_arguments>(whole).command}, fault);
        std::vector<std::string> words = from_json<program_arguments>(whole).argv;
        const std::string program = words.empty() ? std::string{} : words.front();
        if (std::find(options_.programs.begin(), options_.programs.end(), program) == options_.programs.end()) {
            fault = "The program '" + program + "' is not allowed; these are:";
            for (const std::string& one : options_.programs) fault += " " + one;
            return {};
        }
        words.front() = tool_detail::find_program(program, options_.environment);
        if (words.front().empty()) fault = "The program '" + program + "' is not installed.";
        return checked(std::move(words), fault);
    }

    static std::vector<std::string> checked(std::vector<std::string> words, std::string& fault)
    {
        for (const std::string& word : words)
            if (word.find('\0') != std::string::npos) fault = "A word has a NUL.";
        return words;
    }

    shell_tool_options options_;
};

}  // namespace

std::shared_ptr<tool> shell_tool(shell_tool_options options)
{
    const auto refuse = [](const char* what) { throw error{errc::invalid_configuration, "shell tool", what}; };
    if (options.shell.empty() && options.programs.empty()) refuse("name the programs that it may run, or a shell");
    if (!options.shell.empty() && !options.shell.starts_with('/')) refuse("name the shell by its absolute path");
    if (options.directory.empty()) refuse("name the directory that programs run in");
    return std::make_shared<shell>(std::move(options));
}

}  // namespace weft
