#include "small_disk.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <system_error>

namespace fleet_chaos {

small_disk::small_disk(std::uint64_t bytes)
{
    if (bytes == 0 || ::getuid() != 0 || ::unshare(CLONE_NEWNS) != 0) return;
    std::string folder = (std::filesystem::temp_directory_path() / "weft-disk-XXXXXX").string();
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 || !::mkdtemp(folder.data())) return;
    folder_ = folder;
    const std::string options = "mode=1777,size=" + std::to_string(bytes);
    is_mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options.c_str()) == 0;
    if (is_mounted_) ::setenv("TMPDIR", folder_.c_str(), 1);
}

small_disk::~small_disk()
{
    if (is_mounted_) ::unsetenv("TMPDIR");
    if (is_mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove(folder_, ignored);
}

void small_disk::fill() const
{
    const int file = ::open((folder_ / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    // What others free meanwhile is taken as well.
    for (struct statvfs now{}; ::statvfs(folder_.c_str(), &now) == 0 && now.f_bavail > 0;) {
        const off_t end = ::lseek(file, 0, SEEK_END);
        const auto free_bytes = static_cast<off_t>(now.f_bavail * now.f_frsize);
        if (::posix_fallocate(file, end, free_bytes) != 0) break;
    }
    ::close(file);
}

void small_disk::empty() const { ::unlink((folder_ / "filler").c_str()); }

}  // namespace fleet_chaos
