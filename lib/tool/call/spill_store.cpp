#include <weft/tool/call/spill_store.hpp>

#include <weft/base/error.hpp>
#include <weft/base/utf8.hpp>
#include <weft/tool/tool_set.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>
#include <utility>

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

struct memory_spill_store::shelf {
    struct kept {
        std::string reference;
        std::string text;
    };
    spill_limits limits;
    std::mutex mutex = {};
    std::deque<kept> texts = {};  // oldest first
    std::size_t bytes = 0;
    std::uint64_t count = 0;
};

memory_spill_store::memory_spill_store(spill_limits limits) : shelf_{new shelf{limits}} {}

memory_spill_store::~memory_spill_store() = default;

std::string memory_spill_store::put(std::string_view text)
{
    shelf& own = *shelf_;
    check_size(text, own.limits);
    const std::lock_guard lock{own.mutex};
    while (!own.texts.empty()
           && (own.bytes + text.size() > own.limits.bytes_max || own.texts.size() >= own.limits.texts_max)) {
        own.bytes -= own.texts.front().text.size();
        own.texts.pop_front();
    }
    own.texts.push_back({"result-" + std::to_string(++own.count), std::string{text}});
    own.bytes += text.size();
    return own.texts.back().reference;
}

std::optional<std::string> memory_spill_store::find(std::string_view reference)
{
    const std::lock_guard lock{shelf_->mutex};
    const auto is_it = [&](const shelf::kept& one) { return one.reference == reference; };
    const auto found = std::find_if(shelf_->texts.begin(), shelf_->texts.end(), is_it);
    if (found == shelf_->texts.end()) return std::nullopt;
    return found->text;
}

struct directory_spill_store::shelf {
    struct kept {
        std::string reference;
        std::size_t size;
    };
    std::filesystem::path directory;
    spill_limits limits;
    std::mutex mutex = {};
    std::deque<kept> texts = {};  // oldest first
    std::size_t bytes = 0;
    std::uint64_t count = 0;

    [[nodiscard]] std::filesystem::path file_of(std::string_view reference) const
    {
        return directory / (std::string{reference} + ".txt");
    }
};

directory_spill_store::directory_spill_store(std::string directory, spill_limits limits)
    : shelf_{new shelf{std::move(directory), limits}}
{
    std::error_code failed;
    std::filesystem::create_directories(shelf_->directory, failed);
    if (failed)
        throw error{errc::invalid_configuration, "spill store",
                    "the directory " + shelf_->directory.string() + " cannot be made: " + failed.message()};
}

directory_spill_store::~directory_spill_store() = default;

std::string directory_spill_store::put(std::string_view text)
{
    shelf& own = *shelf_;
    check_size(text, own.limits);
    const std::lock_guard lock{own.mutex};
    std::error_code ignored;
    while (!own.texts.empty()
           && (own.bytes + text.size() > own.limits.bytes_max || own.texts.size() >= own.limits.texts_max)) {
        std::filesystem::remove(own.file_of(own.texts.front().reference), ignored);
        own.bytes -= own.texts.front().size;
        own.texts.pop_front();
    }
    std::string reference;
    do reference = "result-" + std::to_string(++own.count);
    while (std::filesystem::exists(own.file_of(reference), ignored));
    std::ofstream file{own.file_of(reference), std::ios::binary};
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file)
        throw error{errc::invalid_configuration, "spill store",
                    own.file_of(reference).string() + " cannot be written: make room, or name another directory"};
    own.texts.push_back({reference, text.size()});
    own.bytes += text.size();
    return reference;
}

std::optional<std::string> directory_spill_store::find(std::string_view reference)
{
    const std::lock_guard lock{shelf_->mutex};
    const auto is_it = [&](const shelf::kept& one) { return one.reference == reference; };
    // Only what it wrote itself: a reference is the model's word and no path.
    if (std::none_of(shelf_->texts.begin(), shelf_->texts.end(), is_it)) return std::nullopt;
    std::ifstream file{shelf_->file_of(reference), std::ios::binary};
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
