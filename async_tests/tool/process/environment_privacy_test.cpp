#include <boost/test/unit_test.hpp>

#include <weft/tool/process/environment_privacy.hpp>

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

BOOST_AUTO_TEST_SUITE(environment_privacy_test)

namespace {

constexpr unsigned nobody = 65534;

/** What one process says to the other by its exit status. */
enum outcome { readable = 10, refused = 11, broken = 12 };

int status_of(pid_t child)
{
    int status = 0;
    if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return broken;
    return WEXITSTATUS(status);
}

/** Whether a child of this process reads the environment that this process has. */
int try_as_child()
{
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/environ", static_cast<int>(::getpid()));
    const pid_t child = ::fork();
    if (child == 0) {
        const int file = ::open(path, O_RDONLY | O_CLOEXEC);
        char byte = 0;
        ::_exit(file >= 0 && ::read(file, &byte, 1) >= 0 ? readable : refused);
    }
    return child < 0 ? broken : status_of(child);
}

/** The same in a process of an ordinary user, since root reads everything. */
int try_as_ordinary_user(bool is_private)
{
    const pid_t host = ::fork();
    if (host == 0) {
        if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
            ::_exit(broken);
        (void)::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // as it is after execve, and not after a change of the user
        if (is_private && !weft::keep_environment_private()) ::_exit(broken);
        ::_exit(try_as_child());
    }
    return host < 0 ? broken : status_of(host);
}

}  // namespace

BOOST_AUTO_TEST_CASE(F9a_a_child_reads_the_environment_of_its_parent_unless_that_is_kept_private)
{
    const int before = try_as_ordinary_user(false);
    BOOST_REQUIRE_MESSAGE(before == readable, "the machine forbids it anyway: nothing to see here, status " << before);
    BOOST_TEST(try_as_ordinary_user(true) == refused);
}

BOOST_AUTO_TEST_SUITE_END()
