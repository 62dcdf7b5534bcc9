#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

/** What gzip has made smaller, by zlib; throws if it is damaged.
 *  @param is_whole  False: the end may be missing. */
inline std::string gunzip(std::string_view coded, bool is_whole = true)
{
    z_stream stream{};
    if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) throw std::runtime_error{"inflateInit2 failed"};
    std::string text;
    char room[16 * 1024];
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
    stream.avail_in = static_cast<uInt>(coded.size());
    int code = Z_OK;
    while (code == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(room);
        stream.avail_out = sizeof room;
        code = inflate(&stream, Z_NO_FLUSH);
        text.append(room, sizeof room - stream.avail_out);
    }
    const bool has_rest = stream.avail_in > 0;
    inflateEnd(&stream);
    const bool is_right = code == Z_STREAM_END || (!is_whole && code == Z_BUF_ERROR);
    if (!is_right || has_rest) throw std::runtime_error{"no whole gzip text"};
    return text;
}
