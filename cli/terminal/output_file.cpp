#include "output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <memory>
#include <system_error>

namespace weft_cli {

namespace {

std::string trouble() { return std::error_code{errno, std::generic_category()}.message(); }

}  // namespace

std::string write_output(const std::filesystem::path& path, std::string_view text, overwriting existing)
{
    if (path == "-") {
        std::cout << text << std::flush;
        return std::cout ? std::string{} : "standard output does not take it";
    }
    const auto close = [](std::FILE* file) { return std::fclose(file); };
    const char* const mode = existing == overwriting::refused ? "wbx" : "wb";
    std::unique_ptr<std::FILE, decltype(close)> file{std::fopen(path.c_str(), mode), close};
    if (!file) return trouble();
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    const bool is_closed = std::fclose(file.release()) == 0;
    return is_written && is_closed ? std::string{} : trouble();
}

}  // namespace weft_cli
