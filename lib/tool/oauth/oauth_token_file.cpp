#include <weft/tool/oauth/oauth_token_file.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include "tool/process/file_bytes.hpp"
#include "tool/process/unique_fd.hpp"

#include <boost/json/serialize.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace weft {

namespace {

using tool_detail::unique_fd;

constexpr off_t file_bytes_max = 4 * 1024 * 1024;

class token_file final : public oauth_token_store {
public:
    explicit token_file(std::string path) : path_{std::move(path)} {}

    task<secret_string> load(std::string server) override
    {
        const boost::json::object all = read();
        co_return secret_string{peek_text(all, server)};
    }

    task<void> save(std::string server, secret_string tokens) override
    {
        const unique_fd lock = locked();
        boost::json::object all = read();
        if (tokens.empty()) all.erase(server);
        else all[server] = tokens.reveal();
        write(boost::json::serialize(all));
        co_return;
    }

private:
    [[noreturn]] void refuse(const std::string& why) const { throw error{errc::invalid_configuration, path_, why}; }
    [[noreturn]] void refuse_by_system() const { refuse(std::error_code{errno, std::generic_category()}.message()); }

    unique_fd opened(const std::string& path, int flags) const
    {
        unique_fd file{::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)};
        if (!file && errno != ENOENT) refuse_by_system();
        return file;
    }

    unique_fd locked() const
    {
        unique_fd lock = opened(path_ + ".lock", O_RDWR | O_CREAT);
        if (!lock) refuse_by_system();
        // It waits for other processes, and a signal may come meanwhile.
        while (::flock(lock.get(), LOCK_EX) != 0)
            if (errno != EINTR) refuse_by_system();
        return lock;
    }

    /** The size of a file that only we can read. */
    std::size_t checked_size(const unique_fd& file) const
    {
        struct stat about {};
        if (::fstat(file.get(), &about) != 0) refuse_by_system();
        if (!S_ISREG(about.st_mode)) refuse("it is no file");
        if (about.st_uid != ::geteuid()) refuse("it belongs to another user: tokens are not read from it");
        if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
            refuse("others may read it, and there are tokens in it: chmod 600 it");
        if (about.st_size > file_bytes_max) refuse("it is too large for a file of tokens");
        return static_cast<std::size_t>(about.st_size);
    }

    boost::json::object read() const
    {
        const unique_fd file = opened(path_, O_RDONLY);
        if (!file) return {};
        // Written by renaming: it does not grow while it is read.
        const std::optional<std::string> text = tool_detail::read_at(file.get(), 0, checked_size(file));
        if (!text) refuse_by_system();
        if (text->empty()) return {};
        boost::json::value all;
        try {
            all = parse_json(*text);
        } catch (const error& e) {
            if (e.code() != errc::invalid_json) throw;
        }
        if (!all.is_object()) refuse("it is no file of tokens");
        return std::move(all.get_object());
    }

    void write(std::string_view text) const
    {
        const std::string beside = path_ + ".new";
        ::unlink(beside.c_str());  // what a process left that died
        const unique_fd file = opened(beside, O_WRONLY | O_CREAT | O_EXCL);
        if (!file) refuse_by_system();
        if (!tool_detail::write_all(file.get(), text)) refuse_by_system();
        if (::fsync(file.get()) != 0 || std::rename(beside.c_str(), path_.c_str()) != 0) refuse_by_system();
    }

    std::string path_;
};

}  // namespace

std::shared_ptr<oauth_token_store> oauth_token_file(std::string path)
{
    return std::make_shared<token_file>(std::move(path));
}

}  // namespace weft
