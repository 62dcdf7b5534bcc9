#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

namespace weft_tests {

/** A directory that is gone afterwards. */
class own_directory {
public:
    explicit own_directory(std::string_view name)
        : path_{std::filesystem::temp_directory_path() /
                ("weft-" + std::string{name} + "-" + std::to_string(::getpid()))}
    {
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~own_directory() { std::filesystem::remove_all(path_); }
    own_directory(const own_directory&) = delete;
    own_directory& operator=(const own_directory&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    void put(const std::string& name, std::string_view text) const
    {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream{path_ / name, std::ios::binary} << text;
    }
    [[nodiscard]] std::string get(const std::string& name) const
    {
        std::ifstream file{path_ / name, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

private:
    std::filesystem::path path_;
};

}  // namespace weft_tests
