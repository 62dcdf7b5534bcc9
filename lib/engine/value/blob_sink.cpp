#include "blob_sink.hpp"

#include <weft/base/error.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft::checkpoint_detail {

namespace {

constexpr std::size_t freed_at_once_max = 256u << 10;

}  // namespace

content_hash blob_sink::add(std::string bytes, std::vector<content_hash> links)
{
    const content_hash name = name_of(bytes, links);
    if (only_names_) return name;
    if (bytes.size() > store_limits::text_bytes_max)
        throw error{errc::limit_reached, "", "a value takes " + std::to_string(bytes.size()) +
                                                 " bytes as JSON, and stores take " +
                                                 std::to_string(store_limits::text_bytes_max)};
    if (!note_name(name)) return name;
    pending_bytes_ += bytes.size() + links.size() * sizeof name;
    pending_.push_back({name, std::move(bytes), std::move(links)});
    return name;
}

/** @return False if it is pending already. Most drafts have a few blobs: a set is made only where a search is slow. */
bool blob_sink::note_name(const content_hash& name)
{
    constexpr std::size_t few = 16;
    if (pending_.size() < few)
        return std::none_of(pending_.begin(), pending_.end(), [&](const blob& each) { return each.hash == name; });
    if (pending_names_.empty())
        for (const blob& each : pending_) pending_names_.insert(each.hash);
    return pending_names_.insert(name).second;
}

content_hash blob_sink::add_again(std::string bytes, std::vector<content_hash> links)
{
    const content_hash name = name_of(bytes, links);
    const auto [made, is_new] = made_again_.try_emplace(name, 0);
    const bool is_stored = !is_new && made->second >= draft_;
    made->second = draft_ + 1;
    return is_stored ? name : add(std::move(bytes), std::move(links));
}

std::vector<blob> blob_sink::take_copies()
{
    std::vector<blob> result = std::exchange(copies_, {});
    result.insert(result.end(), pending_.begin() + static_cast<std::ptrdiff_t>(result.size()), pending_.end());
    return result;
}

bool blob_sink::copy_some(std::size_t bytes)
{
    if (pending_bytes_ <= bytes) return true;
    copies_.reserve(pending_.size() + pending_.size() / 16);
    for (std::size_t copied = 0; copies_.size() < pending_.size();) {
        if (copied >= bytes) return false;
        copies_.push_back(pending_[copies_.size()]);
        copied += sizeof(blob) + copies_.back().bytes.size();
    }
    return true;
}

void blob_sink::end_draft()
{
    ++draft_;
    std::erase_if(made_again_, [this](const auto& entry) { return entry.second < draft_; });
}

void blob_sink::written() noexcept
{
    if (pending_bytes_ > freed_at_once_max) dropped_ = std::exchange(pending_, {});
    pending_.clear();
    copies_.clear();
    pending_names_.clear();
    pending_bytes_ = 0;
}

bool blob_sink::drop_some(std::size_t bytes) noexcept
{
    for (std::size_t dropped = 0; !dropped_.empty(); dropped_.pop_back()) {
        if (dropped >= bytes) return false;
        dropped += sizeof(blob) + dropped_.back().bytes.size();
    }
    if (dropped_.capacity() > 0) dropped_ = {};
    return true;
}

void blob_sink::forget() noexcept
{
    written();
    made_again_.clear();
}

}  // namespace weft::checkpoint_detail
