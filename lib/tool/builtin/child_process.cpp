#include "child_process.hpp"

#include <weft/base/error.hpp>

#include "tool/process/program_texts.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace weft::tool_detail {

namespace {

[[noreturn]] void refuse_start(const std::string& program, int code)
{
    throw error{errc::invalid_configuration, "program '" + program + "'",
                "it cannot be started: " + std::generic_category().message(code)};
}

/** All that the new process needs, made before it: between fork and exec no memory may be asked for. */
struct exec_plan {
    char* const* words;
    char* const* environment;
    const char* directory;
    int output;
    int input;
    int failure;
    const shell_tool_options* options;
};

template <class Resource>
void limit(Resource which, std::uint64_t most) noexcept
{
    if (most == 0) return;
    const struct rlimit both {static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    (void)::setrlimit(which, &both);
}

/** In the new process. Calls what is safe after fork, and nothing else. */
[[noreturn]] void become(const exec_plan& plan) noexcept
{
    (void)::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    (void)::signal(SIGPIPE, SIG_DFL);
    (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    limit(RLIMIT_CPU, plan.options->cpu_seconds_max);
    limit(RLIMIT_AS, plan.options->memory_bytes_max);
    limit(RLIMIT_FSIZE, plan.options->file_bytes_max);
    limit(RLIMIT_NOFILE, plan.options->open_files_max);
    const struct rlimit no_core {0, 0};
    (void)::setrlimit(RLIMIT_CORE, &no_core);
    const bool is_ready = ::chdir(plan.directory) == 0 && ::dup2(plan.input, 0) == 0 &&
                          ::dup2(plan.output, 1) == 1 && ::dup2(plan.output, 2) == 2;
#ifdef SYS_close_range
    constexpr unsigned close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC
    (void)::syscall(SYS_close_range, 3u, ~0u, close_on_exec);
#endif
    if (is_ready) ::execve(plan.words[0], plan.words, plan.environment);
    const int code = errno;
    (void)!::write(plan.failure, &code, sizeof code);
    ::_exit(127);
}

struct pipe_ends {
    unique_fd reads;
    unique_fd writes;
};

pipe_ends make_pipe(const std::string& program)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) refuse_start(program, errno);
    return {unique_fd{ends[0]}, unique_fd{ends[1]}};
}

}  // namespace

void spilled_output::add(std::string_view bytes)
{
    const std::size_t first = std::min(bytes.size(), half_ - std::min(half_, head_.size()));
    head_ += bytes.substr(0, first);
    tail_ += bytes.substr(first);
    if (tail_.size() <= 2 * half_) return;
    const std::size_t surplus = tail_.size() - half_;
    tail_.erase(0, surplus);
    dropped_ += surplus;
}

std::string spilled_output::text() const
{
    const std::size_t surplus = tail_.size() > half_ ? tail_.size() - half_ : 0;
    const std::uint64_t dropped = dropped_ + surplus;
    if (dropped == 0) return head_ + tail_;
    return head_ + "\n[" + std::to_string(dropped) + " bytes left out]\n" + tail_.substr(surplus);
}

child_process::child_process(const std::vector<std::string>& words, const shell_tool_options& options)
{
    try {
        start(words, options);
    } catch (...) {
        kill_group();
        (void)reap();
        throw;
    }
}

void child_process::start(const std::vector<std::string>& words, const shell_tool_options& options)
{
    const std::string& program = words.front();
    std::vector<std::string> word_texts = words;
    std::vector<std::string> environment_texts = environment_lines(options.inherited, options.environment);
    const std::vector<char*> word_pointers = pointers_to(word_texts);
    const std::vector<char*> environment_pointers = pointers_to(environment_texts);
    pipe_ends output = make_pipe(program);
    pipe_ends failure = make_pipe(program);
    const unique_fd input{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    if (!input) refuse_start(program, errno);
    const exec_plan plan{word_pointers.data(), environment_pointers.data(), options.directory.c_str(),
                         output.writes.get(),  input.get(),                 failure.writes.get(),
                         &options};
    pid_ = ::fork();
    if (pid_ == 0) become(plan);
    if (pid_ < 0) refuse_start(program, errno);
    (void)::setpgid(pid_, pid_);  // whoever is first
    output.writes.reset();
    failure.writes.reset();
    int code = 0;
    ssize_t count = 0;
    do count = ::read(failure.reads.get(), &code, sizeof code);
    while (count < 0 && errno == EINTR);
    if (count > 0) refuse_start(program, code);
    (void)::fcntl(output.reads.get(), F_SETFL, O_NONBLOCK);
    output_ = std::move(output.reads);
    end_ = unique_fd{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))};
    if (!end_) refuse_start(program, errno);
}

child_process::~child_process()
{
    kill_group();
    (void)reap();
}

void child_process::kill_group() noexcept
{
    // The program has not been reaped, so that nobody else has got its number.
    if (pid_ > 0 && !is_reaped_) (void)::kill(-pid_, SIGKILL);
}

std::string child_process::reap()
{
    if (pid_ > 0 && !is_reaped_) {
        int status = 0;
        pid_t ended = 0;
        do ended = ::waitpid(pid_, &status, 0);
        while (ended < 0 && errno == EINTR);
        is_reaped_ = true;
        if (ended == pid_) status_ = status;
    }
    if (!status_) return "exit status unknown";
    if (WIFSIGNALED(*status_)) return "killed by signal " + std::to_string(WTERMSIG(*status_));
    return "exit status " + std::to_string(WEXITSTATUS(*status_));
}

std::string find_program(const std::string& name, const std::map<std::string, std::string>& environment)
{
    if (name.find('/') != std::string::npos) return name.starts_with('/') ? name : std::string{};
    const auto path = environment.find("PATH");
    if (path == environment.end()) return {};
    const std::string& folders = path->second;
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string candidate = folders.substr(begin, end - begin) + "/" + name;
        if (candidate.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
        begin = end + 1;
    }
    return {};
}

}  // namespace weft::tool_detail
