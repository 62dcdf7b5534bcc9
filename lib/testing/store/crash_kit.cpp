#include <weft/testing/crash_kit.hpp>

#include <weft/base/error.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::testing {

namespace {

namespace fs = std::filesystem;

/** What the ledger of a round says. */
struct round_ledger {
    std::string result;
    std::uint64_t writes = 0;
    std::vector<std::string> violations;
};

round_ledger read_ledger(const fs::path& folder)
{
    round_ledger told;
    std::map<std::string, std::string> key_of;
    std::set<std::string> kept;
    std::ifstream lines{folder / "ledger"};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words{line};
        std::string what, key, address;
        words >> what >> key;
        std::getline(words >> std::ws, address);
        if (what == "writes") told.writes = std::stoull(key);
        if (what == "result") told.result = line.substr(7);
        if (what == "kept") kept.insert(key);
        if (what != "effect") continue;
        if (kept.contains(key))
            told.violations.push_back("the effect " + address + " happens again after its outcome was kept");
        const auto known = key_of.emplace(address, key).first;
        if (known->second != key)
            told.violations.push_back("the effect " + address + " happens under two keys, " + known->second + " and " +
                                      key);
    }
    return told;
}

/** Runs one process. @return  Its exit status, or minus the signal that killed it. */
int run_process(const std::function<void(const crash_round&)>& process, const crash_round& round,
                std::chrono::seconds most)
{
    const pid_t child = ::fork();
    if (child < 0) throw error{errc::invalid_configuration, "crash kit", "no process can be started"};
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::alarm(static_cast<unsigned>(most.count()));
        int status = 0;
        try {
            process(round);
        } catch (const std::exception& e) {
            round.note("error " + std::string{e.what()});
            status = 1;
        }
        ::_exit(status);  // what the caller has for its own exit, such as the report of a test, is not done twice
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw error{errc::invalid_configuration, "crash kit", "a process cannot be waited for"};
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/** A folder of its own, which goes with it. */
class round_folder {
public:
    explicit round_folder(const fs::path& in, const std::string& name) : path_{in / name}
    {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    round_folder(const round_folder&) = delete;
    round_folder& operator=(const round_folder&) = delete;
    ~round_folder()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const fs::path& path() const noexcept { return path_; }

private:
    fs::path path_;
};

std::string last_error(const fs::path& folder)
{
    std::ifstream lines{folder / "ledger"};
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("error ")) last = ": " + line.substr(6);
    return last;
}

std::string ending(int status)
{
    if (status == -SIGALRM) return "did not end in time";
    return status < 0 ? "died of signal " + std::to_string(-status) : "ended with status " + std::to_string(status);
}

/** The run that is not disturbed. */
round_ledger undisturbed(const std::function<void(const crash_round&)>& process, const fs::path& in,
                         std::chrono::seconds most)
{
    const round_folder folder{in, "undisturbed"};
    const int status = run_process(process, crash_round{folder.path(), 0, false}, most);
    const auto refuse = [&](const std::string& why) {
        throw error{errc::invalid_configuration, "crash kit", "the undisturbed process " + why};
    };
    if (status != 0) refuse(ending(status) + last_error(folder.path()));
    round_ledger told = read_ledger(folder.path());
    if (told.result.empty()) refuse("ended with nothing: call crash_round::end_with at its end");
    if (told.writes == 0) refuse("wrote nothing: let its engine use a crash_store");
    return told;
}

void kill_once(const std::function<void(const crash_round&)>& process, const crash_round& killed,
               const round_ledger& expected, std::chrono::seconds most, crash_report& report)
{
    const std::string where =
        (killed.dies_after() ? "killed after write " : "killed before write ") + std::to_string(killed.write()) + ": ";
    const int first = run_process(process, killed, most);
    if (first == -SIGKILL) ++report.kills;
    else if (first != 0) report.violations.push_back(where + "the first process " + ending(first));
    const int second = run_process(process, crash_round{killed.folder(), 0, false}, most);
    if (second != 0)
        report.violations.push_back(where + "the second process " + ending(second) + last_error(killed.folder()));
    const round_ledger told = read_ledger(killed.folder());
    if (second == 0 && told.result != expected.result)
        report.violations.push_back(where + "it ends with " + told.result + " instead of " + expected.result);
    for (const std::string& each : told.violations) report.violations.push_back(where + each);
}

}  // namespace

// In a file, at once: the process may be killed in the next moment, and memory goes with it.
void crash_round::note(const std::string& line) const
{
    // One write that appends: it is there as a whole, whatever becomes of the process.
    const int file = ::open((folder_ / "ledger").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) throw error{errc::invalid_configuration, "crash kit", "the ledger cannot be written"};
    const std::string text = line + '\n';
    const bool is_whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(file);
    if (!is_whole) throw error{errc::invalid_configuration, "crash kit", "the ledger cannot be written"};
}

void crash_round::effect(const effect_context& happened) const
{
    note("effect " + happened.key() + ' ' + happened.address());
}

void crash_round::end_with(const boost::json::value& result) const { note("result " + boost::json::serialize(result)); }

std::string crash_report::text() const
{
    std::string all = std::to_string(kills) + " kills at " + std::to_string(writes) + " writes, " +
                      std::to_string(violations.size()) + " violations";
    for (const std::string& each : violations) all += "\n  " + each;
    return all;
}

crash_report kill_at_every_write(const std::function<void(const crash_round&)>& process, const crash_options& options)
{
    const fs::path own = fs::temp_directory_path() / ("weft-crash-" + std::to_string(::getpid()));
    const fs::path in = options.folder.empty() ? own : options.folder;
    crash_report report;
    {
        const round_ledger expected = undisturbed(process, in, options.process_max);
        report.writes = expected.writes;
        for (std::uint64_t write = 1; write <= expected.writes; write += std::max<std::uint64_t>(options.every, 1))
            for (const bool is_after : {false, true}) {
                const round_folder folder{in, "round"};
                kill_once(process, crash_round{folder.path(), write, is_after}, expected, options.process_max, report);
            }
    }
    std::error_code ignored;
    if (options.folder.empty()) fs::remove_all(own, ignored);
    return report;
}

}  // namespace weft::testing
