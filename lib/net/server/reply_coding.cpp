#include "reply_coding.hpp"

#include "accept_encoding.hpp"
#include "reply_head.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/net/server/gzip_writer.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t coded_slice_bytes = 32 * 1024;  // of a body, before the loop has its turn
constexpr int partial_content = 206;

bool is_gaining_type(std::string_view content_type)
{
    const std::string type = media_type_of(content_type);
    // Events must arrive one by one, so they are never held back by a compression.
    if (type == "text/event-stream") return false;
    return type == "application/json" || type.starts_with("text/") || type == "image/svg+xml";
}

/** Counts an answer while it is compressed. */
class counted_in {
public:
    explicit counted_in(std::size_t& open) noexcept : open_{open} { ++open_; }
    ~counted_in() { --open_; }
    counted_in(const counted_in&) = delete;
    counted_in& operator=(const counted_in&) = delete;

private:
    std::size_t& open_;
};

}  // namespace

bool is_compressible(const http_reply& answer, const http_server_options& options)
{
    if (options.gzip_bytes_min == 0 || answer.body.size() < options.gzip_bytes_min) return false;
    if (is_bodyless(answer.status) || answer.status == partial_content) return false;
    if (!is_gaining_type(answer.content_type)) return false;
    if (answer.headers.contains("content-encoding") || answer.headers.contains("content-range")) return false;
    const std::string_view tag = answer.headers.find("etag").value_or(std::string_view{});
    return tag.empty() || tag.starts_with("W/");
}

task<void> code_reply(http_reply& answer, const http_headers& request, int level, std::size_t& open)
{
    if (!answer.headers.lists("vary", "accept-encoding")) answer.headers.add("Vary", "Accept-Encoding");
    if (open >= compressions_max || preferred_coding(request) != content_coding::gzip) co_return;
    const counted_in counted{open};
    std::string coded;
    gzip_writer writer{level, answer.body.size()};
    std::string_view rest = answer.body;
    while (rest.size() > coded_slice_bytes) {
        writer.write(rest.substr(0, coded_slice_bytes), coded);
        rest.remove_prefix(coded_slice_bytes);
        co_await yield_now();
    }
    writer.write(rest, coded);
    writer.finish(coded);
    answer.body = std::move(coded);
    answer.headers.add("Content-Encoding", "gzip");
}

}  // namespace weft::net_detail
