#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>

namespace sqlite_tests {

/** While it lives, files that SQLite opens lie on a disk that fails when it is told to. One at a time. */
class disk_faults {
public:
    disk_faults()
    {
        real() = sqlite3_vfs_find(nullptr);
        vfs_ = *real();
        vfs_.zName = "weft-faults";
        vfs_.szOsFile = static_cast<int>(sizeof(faulty_file)) + real()->szOsFile;
        vfs_.xOpen = &open;
        if (sqlite3_vfs_register(&vfs_, 1) != SQLITE_OK) throw std::runtime_error{"sqlite3_vfs_register"};
    }
    ~disk_faults()
    {
        sqlite3_vfs_unregister(&vfs_);
        sqlite3_vfs_register(real(), 1);
        fail_syncs(false);
        fail_writes(false);
    }
    disk_faults(const disk_faults&) = delete;
    disk_faults& operator=(const disk_faults&) = delete;

    void fail_syncs(bool fail) noexcept { syncs_fail() = fail; }
    void fail_writes(bool fail) noexcept { writes_fail() = fail; }

private:
    /** A file of SQLite's in front of the real one, which stands behind it in memory. */
    struct faulty_file {
        sqlite3_file base;
        sqlite3_io_methods methods;
    };

    static sqlite3_vfs*& real()
    {
        static sqlite3_vfs* found = nullptr;
        return found;
    }
    static std::atomic<bool>& syncs_fail()
    {
        static std::atomic<bool> fail{false};
        return fail;
    }
    static std::atomic<bool>& writes_fail()
    {
        static std::atomic<bool> fail{false};
        return fail;
    }
    static sqlite3_file* real_of(sqlite3_file* file)
    {
        return reinterpret_cast<sqlite3_file*>(reinterpret_cast<faulty_file*>(file) + 1);
    }

    static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out)
    {
        auto& faulty = *reinterpret_cast<faulty_file*>(file);
        faulty.base.pMethods = nullptr;
        sqlite3_file* inner = real_of(file);
        const int code = real()->xOpen(real(), name, inner, flags, out);
        if (!inner->pMethods) return code;
        faulty.methods = *inner->pMethods;
        sqlite3_io_methods& m = faulty.methods;
        m.xClose = [](sqlite3_file* f) { return real_of(f)->pMethods->xClose(real_of(f)); };
        m.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
            return real_of(f)->pMethods->xRead(real_of(f), to, size, at);
        };
        m.xWrite = [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
            if (writes_fail()) return int{SQLITE_IOERR_WRITE};
            return real_of(f)->pMethods->xWrite(real_of(f), from, size, at);
        };
        m.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
            return real_of(f)->pMethods->xTruncate(real_of(f), size);
        };
        m.xSync = [](sqlite3_file* f, int how) {
            if (syncs_fail()) return int{SQLITE_IOERR_FSYNC};
            return real_of(f)->pMethods->xSync(real_of(f), how);
        };
        forward_the_rest(m);
        faulty.base.pMethods = &faulty.methods;
        return code;
    }

    static void forward_the_rest(sqlite3_io_methods& m)
    {
        m.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
            return real_of(f)->pMethods->xFileSize(real_of(f), size);
        };
        m.xLock = [](sqlite3_file* f, int level) { return real_of(f)->pMethods->xLock(real_of(f), level); };
        m.xUnlock = [](sqlite3_file* f, int level) { return real_of(f)->pMethods->xUnlock(real_of(f), level); };
        m.xCheckReservedLock = [](sqlite3_file* f, int* out) {
            return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
        };
        m.xFileControl = [](sqlite3_file* f, int what, void* with) {
            return real_of(f)->pMethods->xFileControl(real_of(f), what, with);
        };
        m.xSectorSize = [](sqlite3_file* f) { return real_of(f)->pMethods->xSectorSize(real_of(f)); };
        m.xDeviceCharacteristics = [](sqlite3_file* f) {
            return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
        };
        m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** at) {
            return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, at);
        };
        m.xShmLock = [](sqlite3_file* f, int from, int count, int flags) {
            return real_of(f)->pMethods->xShmLock(real_of(f), from, count, flags);
        };
        m.xShmBarrier = [](sqlite3_file* f) { real_of(f)->pMethods->xShmBarrier(real_of(f)); };
        m.xShmUnmap = [](sqlite3_file* f, int remove) { return real_of(f)->pMethods->xShmUnmap(real_of(f), remove); };
        m.xFetch = [](sqlite3_file* f, sqlite3_int64 at, int size, void** to) {
            return real_of(f)->pMethods->xFetch(real_of(f), at, size, to);
        };
        m.xUnfetch = [](sqlite3_file* f, sqlite3_int64 at, void* from) {
            return real_of(f)->pMethods->xUnfetch(real_of(f), at, from);
        };
    }

    sqlite3_vfs vfs_ = {};
};

}  // namespace sqlite_tests
