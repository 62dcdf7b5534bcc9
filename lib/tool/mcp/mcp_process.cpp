#include "mcp_process.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/use_task.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include "tool/process/program_texts.hpp"
#include "tool/process/unique_fd.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace weft::mcp_detail {

namespace {

constexpr std::chrono::nanoseconds poll_interval = std::chrono::milliseconds{20};

using tool_detail::unique_fd;

struct descriptor_pair {
    unique_fd ours;
    unique_fd theirs;
};

[[noreturn]] void refuse_spawn(const std::string& label, int code, const std::string& what)
{
    const bool is_scarce = code == EMFILE || code == ENFILE || code == EAGAIN || code == ENOMEM;
    throw error{is_scarce ? errc::limit_reached : errc::invalid_configuration, label,
                what + ": " + std::generic_category().message(code)};
}

descriptor_pair make_pipe(const std::string& label)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse_spawn(label, errno, "no pipe");
    return {unique_fd{ends[0]}, unique_fd{ends[1]}};
}

descriptor_pair make_socket_pair(const std::string& label)
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) refuse_spawn(label, errno, "no socket");
    return {unique_fd{ends[0]}, unique_fd{ends[1]}};
}

/** With the secrets, which count over everything else. */
std::vector<std::string> environment_of(const mcp_program& program)
{
    std::map<std::string, std::string> own{program.environment.begin(), program.environment.end()};
    for (const auto& [name, value] : program.secrets) own[name] = value.reveal();
    return tool_detail::environment_lines(program.inherited, own);
}

/** What `posix_spawn` is to do to the child; freed with its owner. */
struct spawn_plan {
    spawn_plan()
    {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    ~spawn_plan()
    {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    spawn_plan(const spawn_plan&) = delete;
    spawn_plan& operator=(const spawn_plan&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/** A group of its own, no blocked signals, and the usual reaction to each. */
void plan_attributes(spawn_plan& plan)
{
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setflags(&plan.attributes,
                               POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&plan.attributes, 0);
    ::posix_spawnattr_setsigmask(&plan.attributes, &none);
    ::posix_spawnattr_setsigdefault(&plan.attributes, &all);
}

}  // namespace

std::shared_ptr<mcp_process> mcp_process::start(serial_loop& loop, const mcp_program& program, const std::string& label)
{
    return std::shared_ptr<mcp_process>{new mcp_process{loop, program, label}};
}

mcp_process::mcp_process(serial_loop& loop, const mcp_program& program, const std::string& label)
    : input_{loop.executor()}, output_{loop.executor()}, errors_{loop.executor()}, end_{loop.executor()}
{
    descriptor_pair input = make_socket_pair(label);
    descriptor_pair output = make_pipe(label);
    descriptor_pair errors = make_pipe(label);
    spawn(program, label, input.theirs.get(), output.theirs.get(), errors.theirs.get());
    input_.assign(boost::asio::local::stream_protocol{}, input.ours.release());
    output_.assign(output.ours.release());
    errors_.assign(errors.ours.release());
#ifdef SYS_pidfd_open
    // The process is ours until it is waited for: its id cannot have been given to another one meanwhile.
    if (unique_fd end{static_cast<int>(::syscall(SYS_pidfd_open, id_, 0))}; end.get() >= 0) {
        ::fcntl(end.get(), F_SETFD, FD_CLOEXEC);
        end_.assign(end.release());
    }
#endif
}

void mcp_process::spawn(const mcp_program& program, const std::string& label, int input, int output, int errors)
{
    spawn_plan plan;
    ::posix_spawn_file_actions_adddup2(&plan.actions, input, 0);
    ::posix_spawn_file_actions_adddup2(&plan.actions, output, 1);
    ::posix_spawn_file_actions_adddup2(&plan.actions, errors, 2);
    if (!program.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&plan.actions, program.folder.c_str());
    plan_attributes(plan);
    std::vector<std::string> words = program.command;
    std::vector<std::string> variables = environment_of(program);
    const std::vector<char*> arguments = tool_detail::pointers_to(words);
    const std::vector<char*> environment = tool_detail::pointers_to(variables);
    const int code = ::posix_spawnp(&id_, arguments.front(), &plan.actions, &plan.attributes, arguments.data(),
                                    environment.data());
    if (code == 0) return;
    id_ = -1;
    refuse_spawn(label, code,
                 "cannot start '" + program.command.front() + "'" +
                     (program.folder.empty() ? "" : " in '" + program.folder + "'"));
}

mcp_process::~mcp_process()
{
    if (id_ < 0 || has_ended()) return;
    signal(SIGKILL);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
}

task<std::string_view> mcp_process::read(descriptor& from, std::array<char, 16 * 1024>& into)
{
    const std::shared_ptr<mcp_process> self = shared_from_this();
    const auto [code, size] = co_await from.async_read_some(boost::asio::buffer(into), use_task_keeping{self});
    if (code == boost::asio::error::operation_aborted) throw error{errc::cancelled};
    co_return std::string_view{into.data(), code ? 0 : size};
}

task<std::string_view> mcp_process::read_output() { return read(output_, output_buffer_); }
task<std::string_view> mcp_process::read_errors() { return read(errors_, error_buffer_); }

task<bool> mcp_process::write(std::string text)
{
    const std::shared_ptr<mcp_process> self = shared_from_this();
    writing_ = std::move(text);
    const auto [code, size] = co_await boost::asio::async_write(input_, boost::asio::buffer(writing_),
                                                                use_task_keeping{self});
    if (code == boost::asio::error::operation_aborted) throw error{errc::cancelled};
    co_return !code && size == writing_.size();
}

void mcp_process::close_input() noexcept
{
    boost::system::error_code ignored;
    input_.close(ignored);
}

task<void> mcp_process::wait()
{
    const std::shared_ptr<mcp_process> self = shared_from_this();
    while (!has_ended()) {
        if (!end_.is_open()) {
            co_await poll();
            continue;
        }
        const auto [code] = co_await end_.async_wait(descriptor::wait_read, use_task_keeping{self});
        if (code == boost::asio::error::operation_aborted) throw error{errc::cancelled};
    }
}

/** For kernels that cannot tell. */
task<void> mcp_process::poll()
{
    co_await sleep_for(poll_interval);
}

task<bool> mcp_process::wait_for(std::chrono::nanoseconds limit)
{
    try {
        co_await with_deadline(wait(), limit);
    } catch (const error& e) {
        if (e.code() != errc::timeout) throw;
    }
    co_return has_ended();
}

void mcp_process::signal(int number) noexcept
{
    // The group first; the process itself, if it is not there any more to be the group's leader.
    if (id_ > 0 && !status_ && ::kill(-id_, number) != 0) ::kill(id_, number);
}

bool mcp_process::has_ended() noexcept
{
    if (status_ || id_ < 0) return true;
    int status = 0;
    const int waited = ::waitpid(id_, &status, WNOHANG);
    if (waited == 0 || (waited < 0 && errno == EINTR)) return false;
    // Another part of the program may have waited for it, as a host that ignores SIGCHLD does.
    status_ = waited == id_ ? status : -1;
    return true;
}

std::string mcp_process::end_text()
{
    if (!has_ended()) return "closed its output";
    if (!status_ || *status_ < 0) return "ended";
    if (WIFSIGNALED(*status_)) return "was ended by signal " + std::to_string(WTERMSIG(*status_));
    return "exited with status " + std::to_string(WEXITSTATUS(*status_));
}

}  // namespace weft::mcp_detail
