#pragma once

#include <cstdint>
#include <filesystem>

namespace fleet_chaos {

/** A file system of this process and its children that can be full, for what is made in the folder of temporary files
 *  while it is there. Only the superuser can have one.
 *
 *  It lives in memory, which only what it holds takes: it becomes full by becoming small. */
class small_disk {
public:
    explicit small_disk(std::uint64_t bytes);
    ~small_disk();
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

    [[nodiscard]] bool is_there() const noexcept { return is_mounted_; }
    /** Leaves no free byte. @return  Whether that is so. */
    [[nodiscard]] bool fill() const;
    /** What is to be written finds room again. */
    void free() const;

private:
    [[nodiscard]] bool resize(std::uint64_t bytes) const;

    std::filesystem::path folder_;
    std::uint64_t bytes_;
    bool is_mounted_ = false;
};

}  // namespace fleet_chaos
