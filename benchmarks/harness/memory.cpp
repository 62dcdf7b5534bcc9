#include "memory.hpp"

#include "bench.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

namespace weft_bench {

namespace {

double status_bytes(const std::string& field)
{
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return std::stod(line.substr(field.size())) * 1024;
    throw std::runtime_error{"/proc/self/status has no line " + field};
}

struct close_pipe {
    void operator()(std::FILE* pipe) const noexcept { pclose(pipe); }
};

}  // namespace

double resident_bytes() { return status_bytes("VmRSS:"); }
double resident_bytes_max() { return status_bytes("VmHWM:"); }

double measure_alone(const std::string& work)
{
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "'" + self + "' --alone " + work;
    std::unique_ptr<std::FILE, close_pipe> child{popen(command.c_str(), "r")};
    double bytes = 0;
    require(child && std::fscanf(child.get(), "%lf", &bytes) == 1, "a measurement in a process of its own failed");
    return bytes;
}

}  // namespace weft_bench
