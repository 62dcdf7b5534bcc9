#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace weft::net_detail {

/** Compresses what it is given, in the form that `Content-Encoding: gzip` means.
 *
 *      gzip_writer writer{1, body.size()};
 *      writer.write(body, out);
 *      writer.finish(out);
 *
 *  It takes at most 270 KB of memory, and less for a short text.
 *
 *  @par Errors          `std::bad_alloc`.
 *  @par Thread safety   None.
 *  @par Source          RFC 1952, by zlib. */
class gzip_writer {
public:
    /** @param level            1 (fast) to 6 (small).
     *  @param bytes_expected   How long the text will be; a longer one is compressed less well. */
    explicit gzip_writer(int level, std::size_t bytes_expected = 32 * 1024);

    /** Takes a piece of the text; appends to `out` what comes out, which may be nothing yet. */
    void write(std::string_view bytes, std::string& out);
    /** Appends all that is needed to read what was written so far. */
    void flush(std::string& out);
    /** Appends the rest, once; then the writer is of no more use. */
    void finish(std::string& out);

private:
    void run(std::string_view bytes, int mode, std::string& out);

    struct closer {
        void operator()(z_stream_s* stream) const noexcept;
    };
    std::unique_ptr<z_stream_s, closer> stream_;
};

}  // namespace weft::net_detail
