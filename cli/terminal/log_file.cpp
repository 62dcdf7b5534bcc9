#include "log_file.hpp"

#include <weft/base/error.hpp>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

namespace weft_cli {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why)
{
    throw weft::error{weft::errc::invalid_configuration, path, why};
}

weft::run_log read(const std::string& path)
{
    if (path == "-") return weft::read_run_log(std::cin);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) refuse(path, "it is a folder");
    errno = 0;
    std::ifstream file{path, std::ios::binary};
    if (!file) refuse(path, std::error_code{errno, std::generic_category()}.message());
    try {
        return weft::read_run_log(file);
    } catch (const weft::error& e) {
        throw weft::error{e.code(), path + ": " + e.where(), e.detail()};
    }
}

}  // namespace

weft::run_log read_log_file(const std::string& path)
{
    weft::run_log log = read(path);
    if (log.events().empty()) refuse(path, "there are no events in it; `weft run FILE --log RUN.jsonl` writes a log");
    return log;
}

}  // namespace weft_cli
