#include "sqlite_file.hpp"

#include "store/sqlite/sql/sqlite_errors.hpp"

#include <weft/base/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace weft::sqlite_detail {

namespace {

[[noreturn]] void throw_file_error(const std::string& file, int cause)
{
    const std::string text = std::generic_category().message(cause);
    switch (cause) {
    case ENOENT:
    case ENOTDIR: throw error{errc::store_unavailable, file, text + ": make its directory first"};
    case EACCES:
    case EPERM:
    case EROFS: throw error{errc::store_refused, file, text + ": give this process the right to write there"};
    default: throw error{meaning_of(SQLITE_IOERR, cause), file, text};
    }
}

std::string holder_of(int descriptor)
{
    std::array<char, 24> text{};
    if (::pread(descriptor, text.data(), text.size(), 0) <= 0) return {};
    const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
    return end == text.begin() ? std::string{} : " (process " + std::string{text.begin(), end} + ")";
}

void note_holder(int descriptor)
{
    const std::string text = std::to_string(::getpid()) + "\n";
    // For people only: without it, the lock holds as well.
    if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

std::string canonical_name(const std::string& file)
{
    if (file.empty() || file == ":memory:" || file.find('\0') != std::string::npos)
        throw error{errc::invalid_configuration, "sqlite_options",
                    "it names no file; for runs that need not outlive the process there is memory_store"};
    std::error_code ignored;
    const std::filesystem::path found = std::filesystem::weakly_canonical(file, ignored);
    return ignored || found.empty() ? file : found.string();
}

std::optional<std::string_view> network_file_system(unsigned long magic) noexcept
{
    // Linux: include/uapi/linux/magic.h, and statfs(2).
    static constexpr std::pair<unsigned long, std::string_view> known[] = {
        {0x6969, "NFS"},       {0x517b, "SMB"},          {0xff534d42, "CIFS"}, {0xfe534d42, "SMB2"},
        {0x01021997, "9p"},    {0x00c36400, "Ceph"},     {0x5346414f, "AFS"},  {0x6b414653, "AFS"},
        {0x73757245, "Coda"},  {0x0bd00bd0, "Lustre"},   {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
        {0x01161970, "GFS2"},  {0x7461636f, "OCFS2"},    {0x564c, "NCP"},      {0xaad7aaea, "PanFS"},
    };
    for (const auto& [number, name] : known)
        if (number == (magic & 0xffffffffUL)) return name;
    return std::nullopt;
}

void refuse_network_file(const std::string& file)
{
#if defined(__linux__)
    struct statfs found = {};
    const std::string folder = std::filesystem::path{file}.parent_path().string();
    if (::statfs(folder.c_str(), &found) != 0) return;  // what is wrong with it shows when the file is opened
    if (const auto name = network_file_system(static_cast<unsigned long>(found.f_type)))
        throw error{errc::store_refused, file,
                    "the file would lie on a network file system (" + std::string{*name} +
                        "), whose locks do not keep it whole: use a local disk, or PostgreSQL (postgres_store)"};
#else
    static_cast<void>(file);
#endif
}

void make_private_file(const std::string& file)
{
    // Only if it is missing: closing a descriptor of the file drops the locks that SQLite has on it in this process.
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0)
        ::close(descriptor);
    else if (errno != EEXIST)
        throw_file_error(file, errno);
}

namespace {

std::optional<struct stat> look_at(const std::string& name) noexcept
{
    struct stat found = {};
    if (::stat(name.c_str(), &found) != 0) return std::nullopt;
    return found;
}

}  // namespace

named_file::named_file(std::string name) : name_{std::move(name)}
{
    const auto found = look_at(name_);
    if (!found) return;
    device_ = static_cast<std::uint64_t>(found->st_dev);
    inode_ = static_cast<std::uint64_t>(found->st_ino);
}

bool named_file::is_there() const noexcept
{
    const auto found = look_at(name_);
    return found && static_cast<std::uint64_t>(found->st_dev) == device_ &&
           static_cast<std::uint64_t>(found->st_ino) == inode_;
}

file_lock::file_lock(const std::string& file)
    : descriptor_{::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)}
{
    if (descriptor_ < 0) throw_file_error(file + ".lock", errno);
    // It belongs to the open file, not to the process: another store of this process is refused as well.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        const int cause = errno;
        const std::string holder = holder_of(descriptor_);
        ::close(descriptor_);
        if (cause != EWOULDBLOCK) throw_file_error(file + ".lock", cause);
        throw error{errc::store_in_use, file,
                    "another store writes this file" + holder +
                        ": SQLite serves one process; several share a PostgreSQL database (postgres_store)"};
    }
    note_holder(descriptor_);
}

// The file stays: were it removed, two processes could hold locks on two files of its name.
file_lock::~file_lock() { ::close(descriptor_); }

}  // namespace weft::sqlite_detail
