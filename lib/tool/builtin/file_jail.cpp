#include "file_jail.hpp"

#include "tool/process/file_bytes.hpp"

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

namespace weft::tool_detail {

namespace {

constexpr std::size_t path_bytes_max = 4096;
constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string words_of(int code) { return std::generic_category().message(code); }

jail_answer refused(std::string why) { return {std::move(why), true}; }

/** What the system says of a path. A link is told as such: the flags make it one of two codes. */
std::string fault_of(std::string_view step, int code)
{
    const std::string name = "'" + std::string{step} + "': ";
    if (code == ELOOP) return name + "symbolic links are not followed";
    return name + words_of(code);
}

/** The steps of a path, or why it is refused. */
std::optional<std::vector<std::string>> steps_of(std::string_view path, std::string& fault)
{
    if (path.size() > path_bytes_max) fault = "the path is too long";
    else if (path.find('\0') != std::string_view::npos) fault = "the path has a NUL";
    else if (path.starts_with('/')) fault = "the path is absolute: name it relative to the root";
    std::vector<std::string> steps;
    for (std::size_t begin = 0; fault.empty() && begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view step = path.substr(begin, end - begin);
        if (step == "..") fault = "the path has a '..': name it from the root";
        else if (!step.empty() && step != ".") steps.emplace_back(step);
        begin = end + 1;
    }
    if (!fault.empty()) return std::nullopt;
    return steps;
}

/** The mode that a written file is to have: that of the file which it replaces, else the usual one. What is no regular
 *  file is not replaced. */
std::optional<mode_t> mode_for(int directory, const std::string& leaf, std::string& fault)
{
    struct stat seen{};
    if (::fstatat(directory, leaf.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) return mode_t{0};
        return fault = fault_of(leaf, errno), std::nullopt;
    }
    if (S_ISREG(seen.st_mode)) return seen.st_mode & mode_t{0777};
    fault = S_ISLNK(seen.st_mode) ? fault_of(leaf, ELOOP) : "'" + leaf + "' is no regular file";
    return std::nullopt;
}

struct directory_closer {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
};

}  // namespace

file_jail::file_jail(const std::string& root, const file_tools_options& options)
    : root_{::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)}, options_{options}
{
    if (!root_)
        throw error{errc::invalid_configuration, "file tools",
                    "the root " + root + " cannot be opened: " + words_of(errno)};
}

unique_fd file_jail::walk(std::string_view path, std::string& leaf, bool makes, std::string& fault) const
{
    const std::optional<std::vector<std::string>> steps = steps_of(path, fault);
    if (!steps) return {};
    unique_fd at{::openat(root_.get(), ".", directory_flags)};
    for (std::size_t i = 0; at && i + 1 < steps->size(); ++i) {
        const char* const step = (*steps)[i].c_str();
        if (makes && ::mkdirat(at.get(), step, 0777) != 0 && errno != EEXIST) {
            fault = fault_of(step, errno);
            return {};
        }
        unique_fd next{::openat(at.get(), step, directory_flags)};
        if (!next) {
            struct stat seen{};
            const int code = errno;
            const bool is_link = ::fstatat(at.get(), step, &seen, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(seen.st_mode);
            fault = fault_of(step, is_link ? ELOOP : code);
        }
        at = std::move(next);
    }
    if (!at && fault.empty()) fault = words_of(errno);
    leaf = steps->empty() ? std::string{} : steps->back();
    return at;
}

jail_answer file_jail::read(std::string_view path, std::uint64_t offset) const
{
    std::string leaf, fault;
    const unique_fd directory = walk(path, leaf, false, fault);
    if (!directory) return refused(std::move(fault));
    if (leaf.empty()) return refused("the path names no file");
    const unique_fd file{::openat(directory.get(), leaf.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    struct stat seen{};
    if (!file || ::fstat(file.get(), &seen) != 0) return refused(fault_of(leaf, errno));
    if (!S_ISREG(seen.st_mode)) return refused("'" + leaf + "' is no regular file");
    const auto size = static_cast<std::uint64_t>(seen.st_size);
    if (offset > size) return refused("the file ends at byte " + std::to_string(size));
    std::optional<std::string> text = read_at(file.get(), offset, options_.read_bytes_max);
    if (!text) return refused(fault_of(leaf, errno));
    if (text->find('\0') != std::string::npos) return refused("'" + leaf + "' is no text");
    const std::uint64_t end = offset + text->size();
    std::string shown = repaired_utf8(*text);
    if (end < size)
        shown += "\n[bytes " + std::to_string(offset) + " to " + std::to_string(end) + " of " + std::to_string(size) +
                 "; go on with offset " + std::to_string(end) + "]";
    return {std::move(shown), false};
}

jail_answer file_jail::list(std::string_view path) const
{
    std::string leaf, fault;
    const unique_fd directory = walk(path, leaf, false, fault);
    if (!directory) return refused(std::move(fault));
    unique_fd inner{::openat(directory.get(), leaf.empty() ? "." : leaf.c_str(), directory_flags)};
    if (!inner) return refused(fault_of(leaf, errno));
    const std::unique_ptr<DIR, directory_closer> open{::fdopendir(inner.get())};
    if (!open) return refused(words_of(errno));
    (void)inner.release();  // the stream closes it
    std::vector<std::string> names;
    while (const dirent* const entry = ::readdir(open.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (names.size() == options_.entries_max) break;
        struct stat seen{};
        const bool is_seen = ::fstatat(::dirfd(open.get()), entry->d_name, &seen, AT_SYMLINK_NOFOLLOW) == 0;
        std::string line = repaired_utf8(name);
        if (is_seen && S_ISDIR(seen.st_mode)) line += '/';
        else if (is_seen && S_ISREG(seen.st_mode)) line += " (" + std::to_string(seen.st_size) + " bytes)";
        names.push_back(std::move(line));
    }
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "" : "\n").append(name);
    if (names.size() == options_.entries_max) text += "\n[there may be more]";
    return {text.empty() ? "(empty)" : std::move(text), false};
}

jail_answer file_jail::write(std::string_view path, std::string_view content)
{
    if (content.size() > options_.write_bytes_max)
        return refused("a file may have " + std::to_string(options_.write_bytes_max) + " bytes");
    std::string leaf, fault;
    const unique_fd directory = walk(path, leaf, true, fault);
    if (!directory) return refused(std::move(fault));
    if (leaf.empty()) return refused("the path names no file");
    const std::optional<mode_t> mode = mode_for(directory.get(), leaf, fault);
    if (!mode) return refused(std::move(fault));
    const std::string part = ".weft-" + std::to_string(::getpid()) + "-" + std::to_string(++written_) + ".part";
    const unique_fd file{::openat(directory.get(), part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                  *mode != 0 ? 0600 : 0666)};
    if (!file) return refused(fault_of(leaf, errno));
    const bool is_open = *mode == 0 || ::fchmod(file.get(), *mode) == 0;
    const bool is_written = is_open && write_all(file.get(), content);
    if (is_written && ::renameat(directory.get(), part.c_str(), directory.get(), leaf.c_str()) == 0)
        return {"wrote " + std::to_string(content.size()) + " bytes", false};
    const int code = errno;
    ::unlinkat(directory.get(), part.c_str(), 0);
    return refused(fault_of(leaf, code));
}

}  // namespace weft::tool_detail
