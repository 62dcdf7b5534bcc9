#include "memory.hpp"

#include "bench.hpp"

#include <malloc.h>

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

double live_bytes()
{
    const struct mallinfo2 now = mallinfo2();
    return static_cast<double>(now.uordblks + now.hblkhd);
}

std::vector<double> measure_several_alone(const std::string& work)
{
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "'" + self + "' --alone " + work;
    std::unique_ptr<std::FILE, close_pipe> child{popen(command.c_str(), "r")};
    require(child != nullptr, "cannot start a process for a measurement");
    std::vector<double> figures;
    for (double figure = 0; std::fscanf(child.get(), "%lf", &figure) == 1;) figures.push_back(figure);
    require(!figures.empty(), "a measurement in a process of its own failed");
    return figures;
}

double measure_alone(const std::string& work) { return measure_several_alone(work).front(); }

}  // namespace weft_bench
