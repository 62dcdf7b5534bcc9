#pragma once

#include <cstdint>
#include <filesystem>

namespace fleet_chaos {

/** A file system of this process and its children that can be full, for what is made in the folder of temporary files
 *  from now on. Only the superuser can have one.
 *
 *  It lives in memory: what it holds, and what fills it, is memory. Made before the process has further OS threads. */
class small_disk {
public:
    explicit small_disk(std::uint64_t bytes);
    ~small_disk();
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

    [[nodiscard]] bool is_there() const noexcept { return is_mounted_; }
    /** Leaves no byte. */
    void fill() const;
    void empty() const;

private:
    std::filesystem::path folder_;
    bool is_mounted_ = false;
};

}  // namespace fleet_chaos
