#pragma once

#include "sql_result.hpp"

#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/store/record/blob_pack.hpp>

#include <mutex>
#include <vector>

namespace weft::postgres_detail {

/** Rows of blobs that go to the caller while the others of its request are still on their way: hash, bytes, links.
 *
 *  @par Thread safety   From any OS thread.
 */
class row_packs : public ref_counted<row_packs> {
public:
    row_packs() = default;
    row_packs(const row_packs&) = delete;
    row_packs& operator=(const row_packs&) = delete;

    /** Adds the rows of a statement; one with other columns gives none. A request that is sent again gives them
     *  again. */
    void add(const sql_result& rows);
    /** What has come since the last time. */
    [[nodiscard]] std::vector<blob_pack> take();
    /** Is notified of each pack, and of the end of the request. */
    [[nodiscard]] const intrusive_ptr<remote_signal>& news() const noexcept { return news_; }

private:
    std::mutex lock_;
    std::vector<blob_pack> packs_;
    intrusive_ptr<remote_signal> news_ = make_counted<remote_signal>();
};

}  // namespace weft::postgres_detail
