#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::sqlite_detail {

/** The one name of a file that all its paths lead to. @par Errors `invalid_configuration` if none is given. */
[[nodiscard]] std::string canonical_name(const std::string& file);

/** The name of a file system whose files are on another machine, by its magic number of `statfs`; nothing if it is
 *  local or unknown. */
[[nodiscard]] std::optional<std::string_view> network_file_system(unsigned long magic) noexcept;

/** Refuses a file on a network file system. @par Errors `store_refused`, naming it. */
void refuse_network_file(const std::string& file);

/** Makes an empty file for this user only, unless it is there. @par Errors `store_unavailable`, `store_full`. */
void make_private_file(const std::string& file);

/** Which file a name leads to, so that a file that was deleted or replaced while it is open is noticed. */
class named_file {
public:
    explicit named_file(std::string name);
    /** Whether the name still leads to the file that it led to at first. One `stat`, which opens nothing. */
    [[nodiscard]] bool is_there() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    std::string name_;
    std::uint64_t device_ = 0;
    std::uint64_t inode_ = 0;
};

/** The right to write a file, until it is destroyed or the process dies. */
class file_lock {
public:
    /** @par Errors  `store_in_use` if another store has it; `store_refused` if `<file>.lock` may not be written. */
    explicit file_lock(const std::string& file);
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;

private:
    int descriptor_;
};

}  // namespace weft::sqlite_detail
