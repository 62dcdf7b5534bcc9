#pragma once

#include <weft/base/memory/free_list.hpp>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace weft::net_detail {

using beast_view = boost::beast::string_view;

[[nodiscard]] inline std::string_view view(beast_view text) noexcept { return {text.data(), text.size()}; }

/** What Beast's parser reports of a body, as one piece of the input: what stands in several chunks is moved together
 *  there. What is below it takes the head.
 *
 *  @tparam IsRequest   What is parsed: requests or responses.
 *  @par Lifetimes      Blocks come from the free list of the OS thread.
 */
template <bool IsRequest>
class message_sink : public boost::beast::http::basic_parser<IsRequest> {
    using field_id = boost::beast::http::field;

public:
    using error_code = boost::system::error_code;

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* block, std::size_t size) noexcept { free_block(block, size); }

    /** Where the body bytes of the next `put` go: to the front of the input itself. */
    void begin(char* input) noexcept
    {
        input_ = input;
        body_begin_ = body_end_ = nullptr;
        frame_begin_ = input;
    }
    /** The input after this will be given again. */
    void end(const char* consumed) noexcept { frame_bytes_ = frame_bytes(consumed); }
    /** The bytes between two pieces of a body that have come so far: the line of a chunk, or the trailers. */
    [[nodiscard]] std::size_t frame_bytes(const char* until) const noexcept
    {
        return frame_bytes_ + static_cast<std::size_t>(until - frame_begin_);
    }
    /** True if the bytes are the beginning of "0\r\n\r\n": Beast asserts that it is not given a first chunk that is the
     *  last one in smaller pieces. */
    [[nodiscard]] bool wants_more_than(const char* bytes, std::size_t size) const
    {
        if (size >= 5 || (size > 0 && *bytes != '0')) return false;
        return !has_chunk_ && this->is_header_done() && this->chunked() && !this->is_done();
    }
    void frame_limit(std::size_t bytes_max) noexcept { frame_bytes_max_ = bytes_max; }
    [[nodiscard]] bool has_large_frame() const noexcept { return has_large_frame_; }
    [[nodiscard]] std::string_view body() const noexcept
    {
        return {body_begin_, static_cast<std::size_t>(body_end_ - body_begin_)};
    }

private:
#if BOOST_BEAST_VERSION >= 359
    void on_trailer_field_impl(field_id, beast_view, beast_view, error_code&) override {}
#endif
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(beast_view body, error_code& ec) override { return add(body, ec); }
    void on_chunk_header_impl(std::uint64_t, beast_view, error_code&) override { has_chunk_ = true; }
    std::size_t on_chunk_body_impl(std::uint64_t, beast_view body, error_code& ec) override { return add(body, ec); }
    void on_finish_impl(error_code&) override {}

    std::size_t add(beast_view body, error_code& ec) noexcept
    {
        if (body.empty()) return 0;
        if (frame_bytes(body.data()) > frame_bytes_max_) {
            has_large_frame_ = true;
            ec = boost::beast::http::error::header_limit;
            return 0;
        }
        frame_bytes_ = 0;
        frame_begin_ = body.data() + body.size();
        // The same bytes, through the pointer by which we may change them. The parser has passed all before them.
        char* const source = input_ + (body.data() - input_);
        if (!body_begin_) body_begin_ = body_end_ = source;
        if (body_end_ != source) std::memmove(body_end_, source, body.size());
        body_end_ += body.size();
        return body.size();
    }

    char* input_ = nullptr;
    char* body_begin_ = nullptr;
    char* body_end_ = nullptr;
    const char* frame_begin_ = nullptr;
    std::size_t frame_bytes_ = 0;  // consumed in earlier inputs
    std::size_t frame_bytes_max_ = 0;
    bool has_large_frame_ = false;
    bool has_chunk_ = false;
};

}  // namespace weft::net_detail
