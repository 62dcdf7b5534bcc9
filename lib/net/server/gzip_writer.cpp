#include <weft/net/server/gzip_writer.hpp>

#include <boost/assert.hpp>

// Its input is const then.
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace weft::net_detail {

namespace {

constexpr int window_bits_min = 9;
constexpr int gzip_form = 16;                           // beside the bits of the window, instead of zlib's own form
constexpr std::size_t piece_max = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr std::size_t room_bytes = 16 * 1024;

}  // namespace

gzip_writer::gzip_writer(int level, std::size_t bytes_expected)
{
    BOOST_ASSERT(level >= 1 && level <= 6);
    // A window beyond the text, and a table of hashes to go with it, would be memory to clear and no more.
    const int window_bits = std::clamp(static_cast<int>(std::bit_width(bytes_expected)), window_bits_min, MAX_WBITS);
    const int memory_level = std::clamp(window_bits - 7, 1, 8);
    auto made = std::make_unique<z_stream>();
    const int code =
        deflateInit2(made.get(), level, Z_DEFLATED, window_bits + gzip_form, memory_level, Z_DEFAULT_STRATEGY);
    if (code != Z_OK) throw std::bad_alloc{};  // the arguments are right
    stream_.reset(made.release());
}

void gzip_writer::closer::operator()(z_stream_s* stream) const noexcept
{
    deflateEnd(stream);
    delete stream;
}

void gzip_writer::write(std::string_view bytes, std::string& out)
{
    while (!bytes.empty()) {
        const std::string_view piece = bytes.substr(0, piece_max);
        run(piece, Z_NO_FLUSH, out);
        bytes.remove_prefix(piece.size());
    }
}

void gzip_writer::flush(std::string& out) { run({}, Z_SYNC_FLUSH, out); }

void gzip_writer::finish(std::string& out) { run({}, Z_FINISH, out); }

void gzip_writer::run(std::string_view bytes, int mode, std::string& out)
{
    std::array<unsigned char, room_bytes> room;
    stream_->next_in = reinterpret_cast<const unsigned char*>(bytes.data());
    stream_->avail_in = static_cast<unsigned>(bytes.size());
    // Room that was filled to its end may not have been enough; what comes out is bounded by what went in.
    do {
        stream_->next_out = room.data();
        stream_->avail_out = static_cast<unsigned>(room.size());
        deflate(stream_.get(), mode);
        out.append(reinterpret_cast<const char*>(room.data()), room.size() - stream_->avail_out);
    } while (stream_->avail_out == 0);
    BOOST_ASSERT_MSG(stream_->avail_in == 0, "the text is at its end already");
}

}  // namespace weft::net_detail
