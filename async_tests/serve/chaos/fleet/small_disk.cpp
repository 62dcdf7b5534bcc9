#include "small_disk.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

namespace fleet_chaos {

namespace {

std::string size_option(std::uint64_t bytes) { return "mode=1777,size=" + std::to_string(bytes); }

}  // namespace

small_disk::small_disk(std::uint64_t bytes) : bytes_{bytes}
{
    if (::getuid() != 0 || ::unshare(CLONE_NEWNS) != 0) return;
    std::string folder = (std::filesystem::temp_directory_path() / "weft-disk-XXXXXX").string();
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !::mkdtemp(folder.data())) return;
    folder_ = folder;
    is_mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, size_option(bytes_).c_str()) == 0;
    if (is_mounted_) ::setenv("TMPDIR", folder_.c_str(), 1);
}

small_disk::~small_disk()
{
    if (is_mounted_) ::unsetenv("TMPDIR");
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove(folder_, ignored);
}

bool small_disk::resize(std::uint64_t bytes) const
{
    return ::mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT, size_option(bytes).c_str()) == 0;
}

bool small_disk::fill() const
{
    // What is written between the look and the change makes the change impossible: then it is tried again.
    constexpr int tries_max = 100;
    for (int i = 0; i < tries_max; ++i) {
        struct statvfs now {};
        if (::statvfs(folder_.c_str(), &now) != 0) return false;
        if (resize(std::uint64_t{now.f_blocks - now.f_bfree} * now.f_frsize)) return true;
    }
    return false;
}

void small_disk::free() const { static_cast<void>(resize(bytes_)); }

}  // namespace fleet_chaos
