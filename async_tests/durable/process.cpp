#include "process.hpp"

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

extern char** environ;

namespace weft_tests {

pid_t start_self(const std::vector<std::string>& words, const std::vector<std::string>& environment)
{
    std::string program = "/proc/self/exe";
    std::vector<char*> arguments{program.data()};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    std::vector<char*> all;
    for (const std::string& entry : environment) all.push_back(const_cast<char*>(entry.c_str()));
    for (char** entry = environ; *entry; ++entry) all.push_back(*entry);
    all.push_back(nullptr);
    pid_t process = -1;
    if (::posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments.data(), all.data()) != 0)
        throw std::runtime_error{"no process can be started"};
    return process;
}

int end_of(pid_t process)
{
    int status = 0;
    while (::waitpid(process, &status, 0) < 0)
        if (errno != EINTR) throw std::runtime_error{"waitpid"};
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void die_with_parent(unsigned seconds_max)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() == 1) ::_exit(126);
    ::alarm(seconds_max);
}

}  // namespace weft_tests
