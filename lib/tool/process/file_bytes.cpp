#include "file_bytes.hpp"

#include <unistd.h>

#include <cerrno>

namespace weft::tool_detail {

std::optional<std::string> read_at(int fd, std::uint64_t offset, std::size_t size)
{
    std::string text(size, '\0');
    std::size_t filled = 0;
    while (filled < size) {
        const ssize_t count = ::pread(fd, text.data() + filled, size - filled, static_cast<off_t>(offset + filled));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        filled += static_cast<std::size_t>(count);
    }
    text.resize(filled);
    return text;
}

bool write_all(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t count = ::write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace weft::tool_detail
