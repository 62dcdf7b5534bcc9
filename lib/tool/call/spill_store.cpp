#include <weft/tool/call/spill_store.hpp>

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>
#include <weft/tool/tool_set.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace weft {

namespace {

constexpr std::size_t piece_bytes_max = 16 * 1024;  // that read_result gives at a time

void check_size(std::string_view text, const spill_limits& limits)
{
    if (text.size() > limits.bytes_max || limits.texts_max == 0)
        throw error{errc::limit_reached, "spill store",
                    std::to_string(text.size()) + " bytes are more than it holds: raise bytes_max"};
}

/** Where a code point begins at or after `at`. */
std::size_t code_point_at(std::string_view text, std::size_t at)
{
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
}

struct spill_question {
    std::string reference;
    std::optional<std::uint64_t> offset = {};
};
BOOST_DESCRIBE_STRUCT(spill_question, (), (reference, offset))

tool_result piece_of(const std::string& text, std::size_t offset)
{
    if (offset >= text.size()) return tool_result::error("the text ends at byte " + std::to_string(text.size()));
    const std::size_t begin = code_point_at(text, offset);
    const std::string_view piece = truncated_utf8(std::string_view{text}.substr(begin), piece_bytes_max);
    std::string answer{piece};
    const std::size_t end = begin + piece.size();
    if (end < text.size())
        answer.append("\n[bytes ").append(std::to_string(begin)).append(" to ").append(std::to_string(end))
            .append(" of ").append(std::to_string(text.size())).append("; go on with offset ")
            .append(std::to_string(end)).append("]");
    return tool_result::text(std::move(answer));
}

}  // namespace

std::string memory_spill_store::put(std::string_view text)
{
    check_size(text, limits_);
    const std::lock_guard lock{mutex_};
    while (!texts_.empty() && (bytes_ + text.size() > limits_.bytes_max || texts_.size() >= limits_.texts_max)) {
        bytes_ -= texts_.front().text.size();
        texts_.pop_front();
    }
    texts_.push_back({"result-" + std::to_string(++count_), std::string{text}});
    bytes_ += text.size();
    return texts_.back().reference;
}

std::optional<std::string> memory_spill_store::find(std::string_view reference)
{
    const std::lock_guard lock{mutex_};
    const auto is_it = [&](const kept& one) { return one.reference == reference; };
    const auto found = std::find_if(texts_.begin(), texts_.end(), is_it);
    if (found == texts_.end()) return std::nullopt;
    return found->text;
}

directory_spill_store::directory_spill_store(std::filesystem::path directory, spill_limits limits)
    : directory_{std::move(directory)}, limits_{limits}
{
    std::error_code failed;
    std::filesystem::create_directories(directory_, failed);
    if (failed)
        throw error{errc::invalid_configuration, "spill store",
                    "the directory " + directory_.string() + " cannot be made: " + failed.message()};
}

std::filesystem::path directory_spill_store::file_of(std::string_view reference) const
{
    return directory_ / (std::string{reference} + ".txt");
}

std::string directory_spill_store::put(std::string_view text)
{
    check_size(text, limits_);
    const std::lock_guard lock{mutex_};
    std::error_code ignored;
    while (!texts_.empty() && (bytes_ + text.size() > limits_.bytes_max || texts_.size() >= limits_.texts_max)) {
        std::filesystem::remove(file_of(texts_.front().reference), ignored);
        bytes_ -= texts_.front().size;
        texts_.pop_front();
    }
    std::string reference;
    do reference = "result-" + std::to_string(++count_);
    while (std::filesystem::exists(file_of(reference), ignored));
    std::ofstream file{file_of(reference), std::ios::binary};
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file)
        throw error{errc::invalid_configuration, "spill store",
                    file_of(reference).string() + " cannot be written: make room, or name another directory"};
    texts_.push_back({reference, text.size()});
    bytes_ += text.size();
    return reference;
}

std::optional<std::string> directory_spill_store::find(std::string_view reference)
{
    const std::lock_guard lock{mutex_};
    const auto is_it = [&](const kept& one) { return one.reference == reference; };
    // Only what it wrote itself: a reference is the model's word and no path.
    if (std::none_of(texts_.begin(), texts_.end(), is_it)) return std::nullopt;
    std::ifstream file{file_of(reference), std::ios::binary};
    if (!file) return std::nullopt;
    return std::string{std::istreambuf_iterator<char>{file}, {}};
}

void add_spill_reader(tool_set& tools, std::shared_ptr<spill_store> store)
{
    const auto read = [store = std::move(store)](const spill_question& asked) {
        const std::optional<std::string> text = store->find(asked.reference);
        if (!text) return tool_result::error("there is no result '" + asked.reference + "', or no longer");
        return piece_of(*text, static_cast<std::size_t>(asked.offset.value_or(0)));
    };
    tools.add("read_result", "Reads on in a tool result that was too long to be shown whole.", read)
        .describe("reference", "as the shortened result names it")
        .describe("offset", "of the first byte to read; 0 if left out")
        .read_only();
}

}  // namespace weft
