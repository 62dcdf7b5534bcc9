#pragma once

#include <weft/base/memory/record_reader.hpp>
#include <weft/base/memory/record_writer.hpp>
#include <weft/store/record/content_hash.hpp>

#include <span>
#include <utility>
#include <vector>

namespace weft::checkpoint_detail {

/** A record that refers to blobs, by their place among its links. */
class linked_writer : public record_writer {
public:
    void link(const content_hash& hash)
    {
        number(links_.size());
        links_.push_back(hash);
    }
    /** For a record whose number of links is about known. */
    void reserve_links(std::size_t count) { links_.reserve(count); }
    [[nodiscard]] const std::vector<content_hash>& links() const noexcept { return links_; }
    [[nodiscard]] std::vector<content_hash> take_links() noexcept { return std::move(links_); }

private:
    std::vector<content_hash> links_;
};

class linked_reader : public record_reader {
public:
    linked_reader(std::string_view bytes, std::string_view place, std::span<const content_hash> links) noexcept
        : record_reader{bytes, place}, links_{links}
    {
    }
    [[nodiscard]] const content_hash& link()
    {
        const std::uint64_t index = number();
        if (index >= links_.size()) refuse("a link is missing");
        return links_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const std::span<const content_hash>& links() const noexcept { return links_; }
    /** Reads a part of it. */
    [[nodiscard]] linked_reader inside(std::string_view bytes, std::string_view place) const noexcept
    {
        return {bytes, place, links_};
    }

private:
    std::span<const content_hash> links_;
};

}  // namespace weft::checkpoint_detail
