#include <weft/observe/metric/metric_registry.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace weft {

namespace {

/** The fields of `/proc/self/stat` behind the name of the program, which may have blanks; the first is field 3. */
std::optional<std::vector<double>> fields_of_stat()
{
    std::ifstream file{"/proc/self/stat"};
    std::string line;
    if (!std::getline(file, line)) return std::nullopt;
    std::istringstream rest{line.substr(line.rfind(')') + 1)};
    std::string state;
    rest >> state;
    std::vector<double> fields{0};
    for (double field = 0; rest >> field;) fields.push_back(field);
    constexpr std::size_t wanted = 22;
    return fields.size() >= wanted ? std::optional{std::move(fields)} : std::nullopt;
}

/** When the machine was started, in seconds of the time of day. */
std::optional<double> start_of_machine()
{
    std::ifstream file{"/proc/stat"};
    std::string word;
    while (file >> word) {
        double seconds = 0;
        if (word == "btime" && file >> seconds) return seconds;
    }
    return std::nullopt;
}

std::optional<double> count_of_files()
{
    std::error_code code;
    double count = 0;
    for (std::filesystem::directory_iterator at{"/proc/self/fd", code}, end; !code && at != end; at.increment(code))
        ++count;
    return code ? std::nullopt : std::optional{count - 1};  // without the one that looks
}

void set_process_gauge(metric_registry& registry, const char* name, const char* help, double value)
{
    registry.family({name, help, metric_kind::gauge}).at({}).set(value);
}

}  // namespace

void note_process(metric_registry& registry)
{
    const std::optional<std::vector<double>> stat = fields_of_stat();
    if (!stat) return;
    const auto field = [&stat](std::size_t number) { return (*stat)[number - 3]; };  // as proc(5) numbers them
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    registry.family({"process_cpu_seconds", "Time of the processor, in user and kernel mode.", metric_kind::counter})
        .at({})
        .set((field(14) + field(15)) / ticks);
    set_process_gauge(registry, "process_resident_memory_bytes", "Memory that is in RAM.",
                      field(24) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    set_process_gauge(registry, "process_virtual_memory_bytes", "Memory that is mapped.", field(23));
    set_process_gauge(registry, "process_threads", "OS threads.", field(20));
    if (const std::optional<double> machine = start_of_machine())
        set_process_gauge(registry, "process_start_time_seconds", "When the process was started, since 1970.",
                          *machine + field(22) / ticks);
    if (const std::optional<double> files = count_of_files())
        set_process_gauge(registry, "process_open_fds", "Files and sockets that are open.", *files);
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
        set_process_gauge(registry, "process_max_fds", "Files and sockets that may be open.",
                          static_cast<double>(limit.rlim_cur));
}

}  // namespace weft
