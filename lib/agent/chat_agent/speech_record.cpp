#include <weft/agent/chat_agent/speech_record.hpp>

#include <weft/base/json.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** With as many zeros before it as a number of that many digits needs. */
std::string padded(std::uint64_t number, std::size_t digits)
{
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

}  // namespace

std::string speech_records::name_of(const speech_record& record, std::uint64_t number)
{
    const auto at = static_cast<std::uint64_t>(std::max(record.timestamp, std::int64_t{0}));
    return padded(at, 15) + "-" + padded(number, 20);
}

item_space speech_records::of_thread(const std::string& thread) const
{
    return where_.below({"stream_buffer:" + thread});
}

task<void> speech_records::put(std::string name, speech_record record) const
{
    return of_thread(record.thread).put(std::move(name), to_json(record), lifetime_);
}

task<bool> speech_records::erase(std::string thread, std::string name) const
{
    return of_thread(thread).erase(std::move(name));
}

namespace {

task<std::vector<speech_record>> take_records(item_space from, std::size_t max)
{
    std::vector<speech_record> taken;
    const std::vector<stored_item> found = co_await from.list(max);
    for (const stored_item& item : found) {
        speech_record record = from_json<speech_record>(item.value);
        const bool is_mine = co_await from.erase(item.key.name);
        if (is_mine) taken.push_back(std::move(record));
    }
    co_return taken;
}

}  // namespace

task<std::vector<speech_record>> speech_records::take(std::string thread, std::size_t max) const
{
    return take_records(of_thread(thread), max);
}

}  // namespace weft
