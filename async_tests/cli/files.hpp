#pragma once

#include "graph/graph_file.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

namespace weft_tests {

/** A folder of files that is there as long as the test. */
class folder {
public:
    explicit folder(std::string_view name)
        : path_{std::filesystem::temp_directory_path() /
                ("weft_cli_" + std::string{name} + "." + std::to_string(::getpid()))}
    {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~folder() { std::filesystem::remove_all(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    /** @return   The path of the file. */
    std::string write(const std::string& name, const std::string& text) const
    {
        std::ofstream{path_ / name} << text;
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

inline std::string sample(std::string_view name)
{
    return std::string{WEFT_SOURCE_DIR} + "/samples/graphs/" + std::string{name};
}

/** A graph file with single quotes instead of double ones. */
inline std::string json_text(std::string text)
{
    for (char& c : text)
        if (c == '\'') c = '"';
    return text;
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace weft_tests
