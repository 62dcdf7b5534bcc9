#pragma once

#include <csignal>
#include <functional>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace sqlite_tests {

/** Sends a number to the parent, as a whole or not at all. */
inline void tell(int out, int number)
{
    if (::write(out, &number, sizeof number) != static_cast<ssize_t>(sizeof number)) ::_exit(3);
}

/** A copy of this process that does something else, until it is killed. To be made while the process has one OS
 *  thread. */
class child_process {
public:
    /** @param work  What it does; gets a descriptor to `tell` to. */
    explicit child_process(const std::function<void(int out)>& work)
    {
        int ends[2];
        if (::pipe(ends) != 0) throw std::runtime_error{"pipe"};
        id_ = ::fork();
        if (id_ < 0) throw std::runtime_error{"fork"};
        if (id_ == 0) {
            ::close(ends[0]);
            try {
                work(ends[1]);
            } catch (...) {
                ::_exit(2);
            }
            ::_exit(0);
        }
        ::close(ends[1]);
        in_ = ends[0];
    }
    ~child_process()
    {
        kill();
        ::close(in_);
    }
    child_process(const child_process&) = delete;
    child_process& operator=(const child_process&) = delete;

    /** The next number; -1 when there are no more. */
    [[nodiscard]] int hear() const
    {
        int number = -1;
        return ::read(in_, &number, sizeof number) == static_cast<ssize_t>(sizeof number) ? number : -1;
    }
    void kill() const
    {
        if (is_over_) return;
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
        is_over_ = true;
    }
    [[nodiscard]] pid_t id() const noexcept { return id_; }

private:
    pid_t id_;
    int in_ = -1;
    mutable bool is_over_ = false;
};

}  // namespace sqlite_tests
